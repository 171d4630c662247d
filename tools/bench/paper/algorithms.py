# SPDX-License-Identifier: GPL-2.0
"""algorithms - the throughput of authentication by OpenSSL (sRDMA 6.1, figure 5).

scripts/bench runs the program `algorithms` on the host, before the VM starts.
"""
from tables import number, table

LINE_RATE = 20.6    # Gbit/s, of the paper's wire

# Of the figure, the text gives these; at 2 KiB and with 8 threads all but hmac-sha512 reach the
# line rate
PAPER = {
    "aes-cmac-128": "8 at 64 B, 1 thread",
    "aes-cmac-192": "as aes-128", "aes-cmac-256": "as aes-128",
    "chacha20-poly1305, only authenticated": "AES ÷ 4 on average",
    "hmac-sha1": "as hmac-sha256", "hmac-sha256": "almost AES at large blocks",
    "hmac-sha512": f"never {LINE_RATE}",
}


def algorithm_table(found):
    rows = []
    for name, by_threads in found.items():
        for threads, by_block in by_threads.items():
            rows.append([name, threads, *(number(rate) for rate in by_block.values()),
                         PAPER.get(name, "–")])
    blocks = next(iter(next(iter(found.values())).values()))
    return table(["algorithm", "threads", *(f"{block} B" for block in blocks), "the paper"], rows)


def markdown(found, machine):
    """Return the section, as lines."""
    found = dict(found)
    version = found.pop("openssl")
    return [
        "## Algorithms (6.1, figure 5)", "",
        f"Gbit/s that OpenSSL {version} authenticates on the host ({machine}), by the clock, by threads and bytes of a "
        "block. All else on this page is counted in instructions. The paper: OpenSSL 1.1.1a on a NIC with eight "
        f"Cortex-A72 at 3 GHz, up to 8 threads, of which the text gives a few figures; line rate {LINE_RATE}. "
        "Threads beyond the processors are not measured. Small blocks show OpenSSL's own cost of a call, "
        "which has grown since 1.1.1, more than the algorithm. The paper does not say by which mode AES "
        "authenticates: CMAC is a chain of blocks, GMAC is not. ChaCha20-Poly1305 is vectorised here, hence "
        "not behind AES as on the NIC. The kernel's own primitives are in the bench's report (floor).", "",
        *algorithm_table(found), ""]
