#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: of 10,000 forged, replayed, stripped, truncated and re-keyed connection requests a listener of librdma_pipeline accepts none, on srnic and on rxe; 256 connections at once are made with each hash
# timeout: 1800
# cites: issue 25, SECM E7
SRNIC_EVERY=1 SRNIC_FORGED=1112 exec "$(dirname "$0")/../e2e/pipeline.sh"
