#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnicd replaces the key of two hosts under load, while connections are made without a pause
# timeout: 600
# cites: issue 23.4, protocol.md section 16
SRNIC_REST=0 exec "$(dirname "$0")/../e2e/srnicd.sh"
