// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * List the rules of a network namespace and the seals of its connected queue pairs. The
 * namespace is given by its name in ip-netns(8); the default is the caller's own.
 *
 *	cc seals.c $(pkg-config --cflags --libs libsrnic)
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <srnic/srnic.h>

static void show_rule(const struct srnic_policy *policy)
{
	struct srnic_prefix prefix = srnic_policy_prefix(policy);
	char text[SRNIC_TEXT_MAX];

	printf("%s: %s", srnic_prefix_text(&prefix, text),
	       srnic_rule_name(srnic_policy_rule(policy)));
	if (srnic_policy_rule(policy) != SRNIC_RULE_OFF)
		printf(", %s by %s, key %s", srnic_mode_name(srnic_policy_mode(policy)),
		       srnic_policy_suite(policy), srnic_policy_key(policy));
	putchar('\n');
}

static int show_rules(struct srnic *srnic)
{
	const struct srnic_policy *policy;
	struct srnic_list *list;
	int err;

	err = srnic_policy_list(srnic, &list);
	if (err)
		return err;
	srnic_for_each_policy(policy, list)
		show_rule(policy);
	srnic_list_free(list);
	return 0;
}

static void show_qp(const struct srnic_qp *qp)
{
	const struct srnic_flow *flow;
	char text[SRNIC_TEXT_MAX];

	if (!srnic_qp_peer(qp))
		return;
	printf("%s queue pair %u with %s: %s\n", srnic_qp_dev_name(qp), srnic_qp_num(qp),
	       srnic_addr_text(srnic_qp_peer(qp), text), srnic_mode_name(srnic_qp_mode(qp)));
	srnic_for_each_flow(flow, qp)
		printf("  %s: epoch %llu, %llu packets out, %llu in, %llu forged\n",
		       srnic_flow_side_name(srnic_flow_side(flow)),
		       (unsigned long long)srnic_flow_epoch(flow),
		       (unsigned long long)srnic_flow_sealed(flow),
		       (unsigned long long)srnic_flow_opened(flow),
		       (unsigned long long)srnic_flow_failed(flow));
}

static int show_qps(struct srnic *srnic)
{
	const struct srnic_qp *qp;
	struct srnic_list *list;
	int err;

	err = srnic_qp_list(srnic, SRNIC_DEV_ALL, &list);
	if (err)
		return err;
	srnic_for_each_qp(qp, list)
		show_qp(qp);
	srnic_list_free(list);
	return 0;
}

int main(int argc, char **argv)
{
	int netns = SRNIC_NETNS_OWN;
	struct srnic *srnic;
	char path[256];
	int err;

	if (argc > 1) {
		snprintf(path, sizeof(path), "/run/netns/%s", argv[1]);
		netns = open(path, O_RDONLY);
		if (netns < 0) {
			perror(path);
			return 1;
		}
	}

	err = srnic_open(&srnic, netns);
	if (netns != SRNIC_NETNS_OWN)
		close(netns);
	if (!err)
		err = show_rules(srnic);
	if (!err)
		err = show_qps(srnic);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[0], srnic_error());
	srnic_close(srnic);
	return err != 0;
}
