// SPDX-License-Identifier: GPL-2.0
/*
 * srnic_kbench - a kernel consumer of any two RDMA devices in this kernel.
 *
 * Loading the module connects the device with the address "client" to the one
 * with the address "server", runs one stream or ping-pong, checks every
 * completion and all bytes, and tears everything down. The results are in
 * debugfs (srnic_kbench/results, JSON). Loading fails if anything fails.
 *
 *	insmod srnic_kbench.ko verb=write size=65536 depth=64 batch=16 ms=400
 */
#define pr_fmt(fmt) "srnic_kbench: " fmt

#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "kbench.h"

static char *verb = "write";
module_param(verb, charp, 0444);
MODULE_PARM_DESC(verb, "write, read, send, write_lat, send_lat; tcp, tcp_lat");

static unsigned int size = SZ_64K;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "bytes of a message");

static unsigned int depth = 64;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "messages that a stream has under way");

static unsigned int batch = 16;
module_param(batch, uint, 0444);
MODULE_PARM_DESC(batch, "how many of them are posted at once");

static unsigned int ms = 400;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds that the run lasts");

static bool workqueue;
module_param(workqueue, bool, 0444);
MODULE_PARM_DESC(workqueue, "poll completions in a workqueue instead of a softirq");

static char *client = "10.77.0.1";
module_param(client, charp, 0444);
MODULE_PARM_DESC(client, "address of the end that writes, reads or sends");

static char *server = "10.77.0.2";
module_param(server, charp, 0444);
MODULE_PARM_DESC(server, "address of the other end");

static unsigned short port = 18700;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "the server's port");

static struct kbench_result result;
static struct dentry *folder;

static int results_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "{\"verb\": \"%s\", \"size\": %u, \"depth\": %u, \"batch\": %u, ",
		   verb, size, depth, batch);
	if (result.samples)
		seq_printf(m, "\"samples\": %u, \"min_ns\": %u, \"median_ns\": %u, \"p99_ns\": %u}\n",
			   result.samples, result.min, result.median, result.p99);
	else
		seq_printf(m, "\"messages\": %llu, \"ns\": %llu}\n", result.messages, result.ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int parse_address(const char *text, struct sockaddr_in *address)
{
	address->sin_family = AF_INET;
	address->sin_port = htons(port);
	return in4_pton(text, -1, (u8 *)&address->sin_addr, '\0', NULL) ? 0 : -EINVAL;
}

static int parse(struct kbench_job *job)
{
	*job = (struct kbench_job) {
		.verb = verb, .size = size, .depth = depth, .batch = batch, .ms = ms,
		.poll = workqueue ? IB_POLL_WORKQUEUE : IB_POLL_SOFTIRQ,
	};
	/*
	 * Limits: one allocation, and one registration of a page list that
	 * every device accepts
	 */
	if (!size || size > SZ_1M || !batch || batch > depth || depth > SZ_4K || !ms)
		return -EINVAL;
	return parse_address(client, &job->client) ?: parse_address(server, &job->server);
}

static int run_verbs(const struct kbench_job *job)
{
	struct kbench_pair *pair = kmalloc(sizeof(*pair), GFP_KERNEL);
	int err;

	if (!pair)
		return -ENOMEM;
	err = kbench_connect(pair, job);
	if (err)
		pr_err("no connection: %d\n", err);
	else if (kbench_is_latency(job))
		err = kbench_pingpong(pair, &result);
	else
		err = kbench_stream(pair, &result);
	kbench_disconnect(pair);
	kfree(pair);
	return err;
}

static int __init kbench_init(void)
{
	struct kbench_job job;
	int err = parse(&job);

	if (err)
		return err;
	err = strstarts(verb, "tcp") ? kbench_tcp(&job, &result) : run_verbs(&job);
	if (err) {
		pr_err("%s of %u bytes: %d\n", verb, size, err);
		return err;
	}
	folder = debugfs_create_dir("srnic_kbench", NULL);
	debugfs_create_file("results", 0444, folder, NULL, &results_fops);
	return 0;
}

static void __exit kbench_exit(void)
{
	debugfs_remove(folder);
}

module_init(kbench_init);
module_exit(kbench_exit);

MODULE_DESCRIPTION("srnic bench: a kernel consumer of any RDMA device");
MODULE_LICENSE("GPL");
