// SPDX-License-Identifier: GPL-2.0
/*
 * srnic help: a summary and examples of each command.
 */
#include <string.h>
#include "cli.h"

struct page {
	const char *name;
	const char *text;
};

static const struct page pages[] = {
	{ "",
"Usage: srnic [OPTIONS] COMMAND [ARGUMENTS]\n"
"\n"
"Commands:\n"
"  show [dev DEV]        devices and what is in use of them\n"
"  qp [dev DEV]          queue pairs: their peers, seals and counters\n"
"  policy ...            which peer gets which seal\n"
"  key ...               pre-shared keys\n"
"  quota ...             how much of each resource a device grants\n"
"  limit ...             what a peer may do before it is cut off\n"
"  suite list            the suites of algorithms\n"
"  log ...               what was refused, and what is\n"
"  peer ...              who has done what wrong, and who is cut off\n"
"  help [COMMAND]        this, or more on one command\n"
"\n"
"Options, anywhere on the line:\n"
"  -j, --json            output as JSON\n"
"  -p, --pretty          the same, indented\n"
"  -d, --details         more columns\n"
"  -n, --netns NAME      in this network namespace (as 'ip netns' names it)\n"
"  -h, --help            help on the command\n"
"  -V, --version\n"
"\n"
"Exit status: 0 done; 1 the kernel refused, or could not be asked; 2 the command\n"
"line or a key is not right, and the kernel was not asked.\n"
"\n"
"Example: seal all traffic with one network by a key that both ends have\n"
"  srnic key gen lab --file lab.key        # copy lab.key to the other end\n"
"  srnic key add lab --file lab.key        # there\n"
"  srnic policy add 192.0.2.0/24 require aead aes-gcm-128 key lab    # on both\n" },
	{ "show",
"Usage: srnic show [[dev] DEV]\n"
"\n"
"The devices whose netdev is in this network namespace, and how many queue pairs,\n"
"completion queues and memory regions they have.\n"
"\n"
"'rdma link add NAME type srnic netdev NETDEV' makes one. Where it answers 'Address\n"
"already in use', dmesg says who has UDP port 4791: most often rxe, which 'modprobe -r\n"
"rdma_rxe' unloads.\n"
"\n"
"Examples:\n"
"  srnic show\n"
"  srnic --json show dev srnic0\n" },
	{ "qp",
"Usage: srnic [-d] qp [[dev] DEV]\n"
"\n"
"Queue pairs: number, type, state, peer, and the seal with its packet counts. A\n"
"sealed queue pair has two flows: our requests with their responses, and theirs\n"
"with ours. Without -d their counts are added up; with -d each has a line, with\n"
"epoch, PSN and the kernel's crypto driver.\n"
"\n"
"  SEALED    packets sent under a seal\n"
"  OPENED    packets received whose seal was right\n"
"  FAILED    packets received whose seal was wrong, and dropped\n"
"  REPLAYED  packets received twice, and dropped (nonce suites only)\n"
"\n"
"Examples:\n"
"  srnic qp\n"
"  srnic -d qp dev srnic0\n"
"  srnic -j qp | python3 -m json.tool\n" },
	{ "policy",
"Usage: srnic policy [list]\n"
"       srnic policy add|replace PREFIX off\n"
"       srnic policy add|replace PREFIX prefer|require MODE SUITE key NAME\n"
"                       [clear-cm] [uncached]\n"
"       srnic policy del PREFIX\n"
"       srnic policy flush\n"
"\n"
"Rules by the peer's address; the longest prefix decides, without one it is 'off'.\n"
"They belong to this network namespace and hold for connections made, and for\n"
"datagrams sent, afterwards. A multicast group is a peer, too.\n"
"'flush' deletes all of them: new connections go in the clear. Keys stay.\n"
"\n"
"  PREFIX   192.0.2.0/24, 2001:db8::/32, one address, or 'default'\n"
"  off      in the clear\n"
"  prefer   sealed if there is the key, else in the clear (counted)\n"
"  require  sealed, or refused\n"
"  MODE     header  headers authenticated; the payload can be changed on its way\n"
"           packet  headers and payload authenticated\n"
"           aead    the same, and the payload encrypted\n"
"  SUITE    see 'srnic suite list'\n"
"  NAME     of a key, which can be added later\n"
"  clear-cm the connection manager's messages go, and are taken, in the clear\n"
"  uncached connections keep no sub-keys, but derive them when a packet comes: less\n"
"           memory, more work; CMAC, HMAC and ChaCha20-Poly1305 only. Either end\n"
"           may do as it likes\n"
"\n"
"Both ends need the same mode, suite and key.\n"
"\n"
"Examples:\n"
"  srnic policy add 192.0.2.0/24 require aead aes-gcm-128 key lab\n"
"  srnic policy add 192.0.2.7 off\n"
"  srnic policy replace default prefer header aes-cmac-128 key site\n"
"  srnic policy replace default require packet aes-cmac-128 key site uncached\n"
"  srnic policy del 192.0.2.7\n" },
	{ "key",
"Usage: srnic key [list]\n"
"       srnic key add|replace NAME [--raw] [--file FILE | -]\n"
"       srnic key gen NAME --file FILE\n"
"       srnic key del NAME\n"
"\n"
"Keys of 16 to 32 bytes, in hexadecimal or, if there is anything but hexadecimal\n"
"digits and white space, as they are (--raw: always as they are). Without a file,\n"
"or with -, from standard input; typed keys are not shown. They belong to this\n"
"network namespace, and cannot be read back.\n"
"\n"
"  gen      make a random key of 32 bytes, put it into a new file for the peer\n"
"           that only you can read, and add it\n"
"  replace  for connections made afterwards\n"
"  del      connections that are sealed with it go on; new ones are refused by\n"
"           'require' and go in the clear by 'prefer'\n"
"\n"
"Examples:\n"
"  srnic key gen lab --file lab.key\n"
"  srnic key add lab --file lab.key\n"
"  ssh peer cat lab.key | srnic key add lab\n"
"  srnic key del lab\n" },
	{ "quota",
"Usage: srnic quota [show [[dev] DEV]]\n"
"       srnic quota users [[dev] DEV]\n"
"       srnic quota set [dev] DEV QUOTA LIMIT [reserve N]\n"
"\n"
"How much of each resource a device grants to all processes together, and who has\n"
"it. A reserve, a sixteenth unless told, is for the kernel and root alone. Of the\n"
"rest a user gets no more than is left for others: one alone half of it, two of\n"
"them a third each. What is granted stays granted if a limit falls below it.\n"
"\n"
"Examples:\n"
"  srnic quota show dev srnic0\n"
"  srnic quota users\n"
"  srnic quota set dev srnic0 qp 1000\n"
"  srnic quota set dev srnic0 qp 1000 reserve 100\n" },
	{ "limit",
"Usage: srnic limit [show [[dev] DEV]]\n"
"       srnic limit set [dev] DEV LIMIT VALUE|none\n"
"\n"
"What a peer may do before the device ends its connection, or cuts it off. There\n"
"are no limits unless you set them.\n"
"\n"
"  idle     seconds for which the peer may say nothing; then the queue pair goes\n"
"           to ERR, its owner gets the event QP_FATAL, and idle_reaped moves\n"
"  faults   of garbage, seal and access ('srnic help peer') that are taken from one\n"
"           peer in a second; if there are more, it is cut off\n"
"  cutoff   seconds for which that is; none: until 'srnic peer allow'\n"
"  greed    1: a queue pair may take all of a shared receive queue; none: when that\n"
"           runs short, it waits for those that have had less (srq_unfair)\n"
"  ecn      1: packets of RC connections made from then on are ECN-capable, ECT(0)\n"
"\n"
"Who can forge addresses can have an honest peer cut off by the rule 'faults'.\n"
"\n"
"Examples:\n"
"  srnic limit show\n"
"  srnic limit set srnic0 idle 3600\n"
"  srnic limit set srnic0 idle none\n"
"  srnic limit set srnic0 cutoff 60\n"
"  srnic limit set srnic0 faults 1000\n" },
	{ "log",
"Usage: srnic log [show [[dev] DEV]]\n"
"       srnic log follow [[dev] DEV]\n"
"\n"
"Packets, and accesses to memory, that were refused: when, by which device, why,\n"
"where they came from and for which queue pair. 'show' has the last 256 of each\n"
"device, 'follow' prints new ones as they come, until it is ended.\n"
"\n"
"  REASON  the counter that it moved: srnic(7) tells what it means\n"
"  COUNT   how many for this reason since the line before it, this one included:\n"
"          ten lines a second are the most for each reason\n"
"  PEER    the address it came from, which may be a lie\n"
"\n"
"Examples:\n"
"  srnic log\n"
"  srnic log follow dev srnic0\n"
"  srnic -j log follow | jq .reason\n" },
	{ "peer",
"Usage: srnic peer [show [[dev] DEV]]\n"
"       srnic peer cut [dev] DEV ADDRESS [seconds N]\n"
"       srnic peer allow [dev] DEV ADDRESS\n"
"\n"
"Peers that have done something wrong, or over and over, and those that are cut off:\n"
"nothing that comes from them is taken. 'cut' does that by hand, for so many seconds\n"
"or until 'allow'; 'srnic limit set DEV faults' makes a rule that does. Each address\n"
"is a peer, by its packets' own account, which may be a lie.\n"
"\n"
"  garbage  malformed, damaged or from elsewhere\n"
"  seal     a seal that is wrong, missing or not due\n"
"  access   to memory that is not open to it, or too many READs\n"
"  astray   for a queue pair that is not there, or not ready (*)\n"
"  unready  receivers not ready, ours or theirs (*)\n"
"  repeat   sent again, or asked for again (*)\n"
"  unfair   more than a part of a shared receive queue (*)\n"
"  (*) happens to honest peers, too: the rule is about the others\n"
"\n"
"Examples:\n"
"  srnic peer\n"
"  srnic -j peer show dev srnic0\n"
"  srnic peer cut srnic0 192.0.2.7 seconds 60\n"
"  srnic peer allow srnic0 192.0.2.7\n" },
	{ "suite",
"Usage: srnic suite [list]\n"
"\n"
"The suites of algorithms: the modes each offers, the bytes of its tag, the bytes\n"
"it adds to a packet, and whether this kernel has what it needs.\n"
"\n"
"Example:\n"
"  srnic suite list\n" },
};

bool help_print(FILE *to, const char *command)
{
	unsigned int i;

	for (i = 0; i < NUM(pages); i++) {
		if (strcmp(pages[i].name, command))
			continue;
		fputs(pages[i].text, to);
		return true;
	}
	return false;
}
