#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: despite loss, duplication and reordering no suite with a counter uses a nonce twice; the oracle sees all nonces
# timeout: 900
# cites: protocol.md 3 (one PSN, several packets) and 8, issue 4
SRNIC_POLICIES="require:header:aes-gmac-128 require:packet:aes-gmac-256 require:aead:aes-gcm-256
	require:aead:chacha20-poly1305" exec "$(dirname "$0")/../e2e/lossy.sh"
