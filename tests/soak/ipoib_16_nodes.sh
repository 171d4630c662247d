#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: sixteen sealed nodes of one wire come up and reach each other over ib0, and each of their subnet administrations is asked for 5,000 paths
# timeout: 900
# cites: rfc4391.md I25, I28, protocol.md section 17
NODES=16 PATHS=5000 exec "$(dirname "$0")/../e2e/ipoib_nodes.sh"
