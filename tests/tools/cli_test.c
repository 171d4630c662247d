// SPDX-License-Identifier: GPL-2.0
/*
 * Test the srnic command without a kernel: parsing of the command line,
 * requests to the kernel, and output of the answers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <srnic_version.h>
#include "../../tools/srnic/cli.h"
#include "../libsrnic/kernel.h"

#define WORDS_MAX	32

/* RFC 8032, section 7.1, test 1 */
#define PUBLIC_KEY	"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define PRIVATE_KEY	"nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n"

static unsigned int tests, failures;
static char *out, *err;		/* printed by the last run */
static char folder[] = "/tmp/srnic-cli-test.XXXXXX";
static const char *root;	/* cli.root of the next run */

static bool check(bool fine, const char *name, const char *what)
{
	tests++;
	if (!fine)
		failures++;
	printf("%sok %u - %s%s%s\n", fine ? "" : "not ", tests, name, what ? ": " : "",
	       what ?: "");
	if (!fine)
		printf("# stdout: %s\n# stderr: %s\n", out ?: "", err ?: "");
	return fine;
}

/*
 * Run "srnic LINE", with words separated by single spaces; return its exit
 * status.
 */
static int run(const char *line)
{
	char *words[WORDS_MAX + 1] = { "srnic" };
	size_t out_len, err_len;
	char *copy = strdup(line);
	char *rest = copy;
	int argc = 1;
	int status;

	while (argc < WORDS_MAX && rest && *rest)
		words[argc++] = strsep(&rest, " ");

	free(out);
	free(err);
	memset(&cli, 0, sizeof(cli));
	cli.out = open_memstream(&out, &out_len);
	cli.err = open_memstream(&err, &err_len);
	cli.root = root;
	status = cli_run(argc, words);
	fclose(cli.out);
	fclose(cli.err);
	free(copy);
	return status;
}

/* Return the path of a file in the test's folder. Valid until the next call. */
static const char *file(const char *name)
{
	static char path[sizeof(folder) + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t len)
{
	int fd = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

/* Run a line in which "@NAME" stands for a file of the test's folder. */
static int run_with_file(const char *line)
{
	const char *at = strchr(line, '@');
	char text[512];
	size_t name = strcspn(at + 1, " ");

	snprintf(text, sizeof(text), "%.*s%s/%.*s%s", (int)(at - line), line, folder, (int)name,
		 at + 1, at + 1 + name);
	return run(text);
}

/*
 * Invalid lines. Each must print one line on standard error that names the
 * command and has this text, exit with status 2, and send no request to the
 * kernel.
 */
static const struct {
	const char *line;
	const char *says;
} wrong[] = {
	{ "nonsense", "unknown command 'nonsense'" },
	{ "-x show", "unknown command '-x'" },
	{ "show dev", "show: the device's name after 'dev' is missing" },
	{ "show a b", "show: 'b' is not expected here" },
	{ "qp dev a b", "qp: 'b' is not expected here" },
	{ "-n", "network namespace after -n is missing" },
	{ "help nonsense", "no help on 'nonsense'" },

	{ "policy nonsense",
	  "policy: unknown verb 'nonsense': use list, add, replace, del or flush" },
	{ "policy list x", "policy list: 'x' is not expected here" },
	{ "policy add", "policy add: the prefix of the peers is missing" },
	{ "policy add 10.0.0.0/8", "policy add: the rule (off, prefer or require) is missing" },
	{ "policy add 10.0.0.0/8 deny", "unknown rule 'deny': use off, prefer or require" },
	{ "policy add 10.0.0.300 off", "'10.0.0.300' is not an IPv4 or IPv6 address" },
	{ "policy add 10.0.0.0/33 off",
	  "prefix length '33' in '10.0.0.0/33' must be a number from 0 to 32" },
	{ "policy add fd00::/129 off",
	  "prefix length '129' in 'fd00::/129' must be a number from 0 to 128" },
	{ "policy add 10.0.0.0/-1 off", "prefix length '-1' in" },
	{ "policy add 10.0.0.0/ off", "prefix length '' in" },
	{ "policy add 10.0.0.0/8x off", "prefix length '8x' in" },
	{ "policy add 10.0.0.0/4294967304 off", "prefix length '4294967304' in" },
	{ "policy add 10.1.2.3/8 off", "has bits beyond its prefix length: write 10.0.0.0/8" },
	{ "policy add fd00::1/64 off", "has bits beyond its prefix length: write fd00::/64" },
	{ "policy add ::ffff:10.0.0.0/8 off", "has bits beyond" },
	{ "policy add 1111:2222:3333:4444:5555:6666:7777:8888/128/and/much/more/of/this/and/that off",
	  "is too long for an address" },
	{ "policy add fd00::/64 off aead", "policy add: 'aead' is not expected here" },
	{ "policy add fd00::/64 require",
	  "'require' needs a mode: header, packet, aead or opaque" },
	{ "policy add fd00::/64 prefer off",
	  "unknown mode 'off': use header, packet, aead or opaque" },
	{ "policy add fd00::/64 require aes-gcm-128", "unknown mode 'aes-gcm-128'" },
	{ "policy add fd00::/64 require aead", "'require' needs a suite: see 'srnic suite list'" },
	{ "policy add fd00::/64 require aead aes-gcm-128",
	  "'require' needs a key: add 'key NAME'" },
	{ "policy add fd00::/64 require aead aes-gcm-128 key", "the name after 'key' is missing" },
	{ "policy add fd00::/64 require aead aes-gcm-128 key k more",
	  "'more' is not expected here" },
	{ "policy add fd00::/64 require aead aes-gcm-128 key 12345678901234567890123456789012",
	  "key name '12345678901234567890123456789012' is invalid: use 1 to 31 letters" },
	{ "policy add fd00::/64 require aead aes-gcm-128 key a+b", "key name 'a+b' is invalid" },
	{ "policy add fd00::/64 require aead aes-gcm-128 key -k", "key name '-k' is invalid" },
	{ "policy add fd00::/64 require aead aes+gcm key k", "suite name 'aes+gcm' is invalid" },
	{ "policy add fd00::/64 require mode nonsense", "unknown mode 'nonsense'" },
	{ "policy del", "policy del: the prefix of the peers is missing" },
	{ "policy del 10.0.0.0/8 off", "policy del: 'off' is not expected here" },
	{ "policy flush 10.0.0.0/8", "policy flush: '10.0.0.0/8' is not expected here" },

	{ "key nonsense", "key: unknown verb 'nonsense': use list, add, replace, gen, stage, promote, "
			  "retire or del" },
	{ "key add", "key add: the key's name is missing" },
	{ "key add a+b", "key add: key name 'a+b' is invalid" },
	{ "key add -k", "key add: key name '-k' is invalid" },
	{ "key add 12345678901234567890123456789012", "is invalid: use 1 to 31 letters" },
	{ "key add k 00112233445566778899aabbccddeeff", "never on the command line" },
	{ "key add k --file", "the name of the key file is missing" },
	{ "key add k --file a --file b", "'--file' is not expected here" },
	{ "key add k --nonsense", "'--nonsense' is not expected here" },
	{ "key add k --file /nonexistent/file",
	  "cannot open key file /nonexistent/file: No such file" },
	{ "key add k --file /", "cannot read the key from /: Is a directory" },
	{ "key add k --file /dev/null", "/dev/null is empty: a key has 16 to 32 bytes" },
	{ "key add k --file /dev/zero", "/dev/zero holds more than 512 bytes" },
	{ "key gen k", "key gen: the file for the new key is missing" },
	{ "key gen k -", "key gen: the file for the new key is missing" },
	{ "key gen k --file /nonexistent/file", "cannot write key file /nonexistent/file" },
	{ "key stage", "key stage: the key's name is missing" },
	{ "key stage k --nonsense", "'--nonsense' is not expected here" },
	{ "key promote", "key promote: the key's name is missing" },
	{ "key promote k --file f", "key promote: '--file' is not expected here" },
	{ "key retire a b", "key retire: 'b' is not expected here" },
	{ "key del", "key del: the key's name is missing" },
	{ "key del a b", "key del: 'b' is not expected here" },

	{ "log srnic0", "log: unknown verb 'srnic0': use show or follow (srnic help log)" },
	{ "log follow dev", "log follow: the device's name after 'dev' is missing" },
	{ "log show srnic0 5", "'5' is not expected here" },
	{ "quota set", "quota set: the device's name is missing" },
	{ "quota set srnic0", "the quota (see 'srnic quota show') is missing" },
	{ "quota set dev srnic0 qp", "quota set: the new limit is missing" },
	{ "quota set dev srnic0 qp -1", "limit '-1' must be a number from 0 to 4294967295" },
	{ "quota set dev srnic0 qp 4294967296", "limit '4294967296' must be a number" },
	{ "quota set dev srnic0 qp 18446744073709551616", "must be a number" },
	{ "quota set dev srnic0 qp 1k", "limit '1k' must be a number" },
	{ "quota set dev srnic0 qp 1 2", "'2' is not expected here" },
	{ "quota set dev srnic0 qp 1 reserve", "the number after 'reserve' is missing" },
	{ "quota set dev srnic0 qp 1 reserve x", "reserve 'x' must be a number" },
	{ "quota set dev srnic0 qp 1 reserve 2 3", "'3' is not expected here" },
	{ "limit set", "limit set: the device's name is missing" },
	{ "limit set srnic0", "the limit (see 'srnic limit show') is missing" },
	{ "limit set srnic0 idle", "the new value (or 'none') is missing" },
	{ "limit set srnic0 idle -1", "value '-1' must be a number" },
	{ "limit set srnic0 idle 1 2", "'2' is not expected here" },
	{ "pkey add", "pkey add: the device's name is missing" },
	{ "pkey add srnic0", "the P_Key, such as 0x8001, is missing" },
	{ "pkey add srnic0 x", "P_Key 'x' must be a number from 0x0001 to 0xffff" },
	{ "pkey del srnic0 0x10000", "P_Key '0x10000' must be a number" },
	{ "pkey del srnic0 -1", "P_Key '-1' must be a number" },
	{ "pkey add srnic0 4294967297", "P_Key '4294967297' must be a number" },
	{ "pkey add srnic0 0x10000000000000001", "P_Key '0x10000000000000001' must be a number" },
	{ "pkey del srnic0 0x8001y", "P_Key '0x8001y' must be a number" },
	{ "pkey add srnic0 0x8001 2", "'2' is not expected here" },
	{ "subnet add srnic0", "'manager' or 'member' is missing" },
	{ "subnet add srnic0 both", "'both' is no role: write 'manager' or 'member'" },
	{ "subnet add srnic0 member", "the GID of the node's port is missing" },
	{ "subnet add srnic0 member 192.0.2.1", "'192.0.2.1' is no GID, such as fe80::2" },
	{ "subnet del srnic0 manager fe80::1 2", "'2' is not expected here" },
	{ "mtu srnic0", "mtu: unknown verb 'srnic0': use show or set (srnic help mtu)" },
	{ "mtu set", "mtu set: the device's name is missing" },
	{ "mtu set srnic0", "mtu set: the MTU, such as 4096, is missing" },
	{ "mtu set srnic0 4k", "MTU '4k' must be a number" },
	{ "mtu set srnic0 4096 1", "'1' is not expected here" },
	{ "quota users dev", "the device's name after 'dev' is missing" },
	{ "peer srnic0",
	  "peer: unknown verb 'srnic0': use show, cut, allow, add, del or list (srnic help peer)" },
	{ "peer add", "peer add: the peer's name is missing" },
	{ "peer add a/b", "name 'a/b' is invalid" },
	{ "peer add b", "'--public-key' is missing" },
	{ "peer add b --public-key", "the value after '--public-key' is missing" },
	{ "peer add b --public-key x", "'x' is not a public key" },
	{ "peer add b --public-key " PUBLIC_KEY, "'--address' is missing" },
	{ "peer add b --address 10.0.0.1 --address 10.0.0.1", "'--address' is given twice" },
	{ "peer add b --address 10.0.0.300", "'10.0.0.300' is not an IPv4 or IPv6 address" },
	{ "peer add b --endpoint 192.0.2.1:99999", "endpoint" },
	{ "peer add b --endpoint 192.0.2.1:0", "is not an endpoint" },
	{ "peer add b --endpoint [::1", "'[::1' is not an endpoint" },
	{ "peer add b --suite", "the value after '--suite' is missing" },
	{ "peer add b c", "'c' is not expected here" },
	{ "peer del", "peer del: the peer's name is missing" },
	{ "peer del b c", "'c' is not expected here" },
	{ "peer list x", "peer list: 'x' is not expected here" },
	{ "genkey x", "genkey: 'x' is not expected here" },
	{ "pubkey x", "pubkey: 'x' is not expected here" },
	{ "apply - x", "apply: 'x' is not expected here" },
	{ "doctor x", "doctor: 'x' is not expected here" },
	{ "doctor x", "doctor: 'x' is not expected here" },
	{ "save x", "save: 'x' is not expected here" },
	{ "peer cut", "peer cut: the device's name is missing" },
	{ "peer cut srnic0", "peer cut: the peer's address is missing" },
	{ "peer cut srnic0 10.0.0.300", "'10.0.0.300' is not an IPv4 or IPv6 address" },
	{ "peer cut srnic0 10.0.0.0/8", "'10.0.0.0/8' covers more than one address" },
	{ "peer cut srnic0 10.0.0.1 60", "'60' is not expected here" },
	{ "peer cut srnic0 10.0.0.1 seconds", "the number after 'seconds' is missing" },
	{ "peer cut srnic0 10.0.0.1 seconds x", "seconds 'x' must be a number" },
	{ "peer cut srnic0 10.0.0.1 seconds 1 2", "'2' is not expected here" },
	{ "peer allow srnic0 default", "'default' covers more than one address" },
	{ "peer allow srnic0 10.0.0.1 seconds 1", "'seconds' is not expected here" },
	{ "suite list x", "suite list: 'x' is not expected here" },
};

static bool one_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && !end[1] && !strncmp(text, "srnic: ", 7);
}

static void test_wrong_lines(void)
{
	unsigned int i;

	for (i = 0; i < NUM(wrong); i++) {
		kernel_reset();
		check(run(wrong[i].line) == CLI_USAGE && one_line(err) &&
		      strstr(err, wrong[i].says) && !*out && !kernel.requests,
		      "refused", wrong[i].line);
	}
}

/* Contents of a key file, and the expected result. */
static const struct {
	const char *name;
	const char *text;
	const char *options;
	const char *says;	/* NULL: a valid key */
	unsigned int len;
} files[] = {
	{ "hex of 16 bytes", "00112233445566778899aabbccddeeff", "", NULL, 16 },
	{ "hex of 32 bytes, in capitals, over two lines",
	  "00112233445566778899AABBCCDDEEFF\n00112233445566778899AABBCCDDEEFF\n", "", NULL, 32 },
	{ "hex with spaces", " 0011 2233 4455 6677 8899 aabb ccdd eeff\r\n", "", NULL, 16 },
	{ "bytes", "sixteen bytes!!!", "", NULL, 16 },
	{ "33 bytes", "thirty-two bytes, and not one hex", "", "holds 33 bytes", 0 },
	{ "raw digits", "00112233445566778899aabbccddeeff", " --raw", NULL, 32 },
	{ "15 bytes", "fifteen bytes!!", "", "holds 15 bytes: a key has 16 to 32", 0 },
	{ "a digit lost", "00112233445566778899aabbccddeef", "", "holds 31 hexadecimal digits", 0 },
	{ "30 digits", "00112233445566778899aabbccddee", "", "holds 30 hexadecimal digits", 0 },
	{ "66 digits", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff00", "",
	  "holds 66 hexadecimal digits", 0 },
};

static void test_key_files(void)
{
	const struct nlattr *secret;
	char line[64];
	unsigned int i;
	bool fine;

	for (i = 0; i < NUM(files); i++) {
		kernel_reset();
		write_file("key", files[i].text, strlen(files[i].text));
		snprintf(line, sizeof(line), "key add k --file @key%s", files[i].options);
		if (files[i].says) {
			fine = run_with_file(line) == CLI_USAGE && one_line(err) &&
				strstr(err, files[i].says) && !kernel.requests;
		} else {
			fine = run_with_file(line) == CLI_OK && !*err && !*out;
			secret = kernel_attr(SRNIC_A_KEY_SECRET);
			fine = fine && secret && mnl_attr_get_payload_len(secret) == files[i].len &&
				attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "k") &&
				!kernel_attr(SRNIC_A_KEY_REPLACE);
		}
		check(fine, "key file", files[i].name);
	}
}

static void test_key_value(void)
{
	static const uint8_t want[16] = {
		0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	};
	const struct nlattr *secret;

	kernel_reset();
	write_file("key", "0011223344556677 8899aAbBcCdDeEfF\n", 34);
	check(run_with_file("key replace k --file @key") == CLI_OK &&
	      (secret = kernel_attr(SRNIC_A_KEY_SECRET)) &&
	      mnl_attr_get_payload_len(secret) == sizeof(want) &&
	      !memcmp(mnl_attr_get_payload(secret), want, sizeof(want)) &&
	      kernel_cmd() == SRNIC_CMD_KEY_ADD && kernel_attr(SRNIC_A_KEY_REPLACE),
	      "key replace sends the bytes", NULL);
}

static void test_key_generations(void)
{
	kernel_reset();
	write_file("key", "sixteen bytes!!!", 16);
	check(run_with_file("key stage k --file @key") == CLI_OK && !*out && !*err &&
	      kernel_cmd() == SRNIC_CMD_KEY_STAGE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "k") &&
	      mnl_attr_get_payload_len(kernel_attr(SRNIC_A_KEY_SECRET)) == 16 &&
	      !kernel_attr(SRNIC_A_KEY_REPLACE), "key stage", NULL);
	check(run("key promote k") == CLI_OK && kernel_cmd() == SRNIC_CMD_KEY_PROMOTE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "k"), "key promote", NULL);
	check(run("key retire k") == CLI_OK && kernel_cmd() == SRNIC_CMD_KEY_RETIRE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "k"), "key retire", NULL);
	kernel.refusal = "the key has no next secret: stage one first";
	kernel.err = ENODATA;
	check(run("key promote k") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "stage one first"), "key promote refused", NULL);
}

/* In the test standard input is a file, never a terminal. */
static void test_key_from_stdin(void)
{
	int saved = dup(STDIN_FILENO);
	int fd;

	write_file("key", "00112233445566778899aabbccddeeff", 32);
	fd = open(file("key"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);

	kernel_reset();
	check(run("key add k") == CLI_OK && attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "k"),
	      "key from stdin", NULL);
	lseek(STDIN_FILENO, 0, SEEK_SET);
	kernel_reset();
	check(run("key add k -") == CLI_OK && kernel.requests == 1, "key from -", NULL);

	dup2(saved, STDIN_FILENO);
	close(saved);
}

/* In place of the C library's function */
static unsigned int syncs;
static int sync_error;

int fsync(int fd)
{
	(void)fd;
	syncs++;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

/* The peer gets a copy of the file: it must be there after a crash, too. */
static void test_key_gen_is_on_disk(void)
{
	kernel_reset();
	syncs = 0;
	check(run_with_file("key gen k --file @synced") == CLI_OK && syncs == 1,
	      "key gen writes the file to disk before the kernel has the key", NULL);
	unlink(file("synced"));
	kernel_reset();
	sync_error = EIO;
	check(run_with_file("key gen k --file @synced") == CLI_USAGE && one_line(err) &&
	      strstr(err, "Input/output error") && !kernel.requests &&
	      access(file("synced"), F_OK), "key gen leaves no file that is not on disk", NULL);
	sync_error = 0;
}

static void test_key_gen(void)
{
	struct stat made;
	char text[80] = "";
	int fd;

	kernel_reset();
	check(run_with_file("key gen k --file @new") == CLI_OK && !*out && !*err &&
	      mnl_attr_get_payload_len(kernel_attr(SRNIC_A_KEY_SECRET)) == 32 &&
	      !stat(file("new"), &made) && (made.st_mode & 0777) == 0600 && made.st_size == 65,
	      "key gen", NULL);
	fd = open(file("new"), O_RDONLY);
	check(read(fd, text, sizeof(text)) == 65 && strspn(text, "0123456789abcdef") == 64,
	      "key gen writes hexadecimal", NULL);
	close(fd);

	kernel_reset();
	check(run_with_file("key gen k --file @new") == CLI_USAGE && one_line(err) &&
	      strstr(err, "File exists") && !kernel.requests,
	      "key gen does not overwrite", NULL);

	kernel_reset();
	kernel.refusal = "there is a key of this name";
	check(run_with_file("key gen k --file @refused") == CLI_REFUSED &&
	      access(file("refused"), F_OK), "key gen leaves no file if refused", NULL);
}

/* Prefixes as they are sent to the kernel, and as they are printed. */
static const struct {
	const char *text;
	const char *addr;	/* as IPv6 */
	uint8_t len;
	const char *shown;
} prefixes[] = {
	{ "10.77.0.0/24", "::ffff:10.77.0.0", 120, "10.77.0.0/24" },
	{ "10.77.0.1", "::ffff:10.77.0.1", 128, "10.77.0.1/32" },
	{ "0.0.0.0/0", "::ffff:0.0.0.0", 96, "0.0.0.0/0" },
	{ "fd77::/64", "fd77::", 64, "fd77::/64" },
	{ "fd77::1", "fd77::1", 128, "fd77::1/128" },
	{ "default", "::", 0, "default" },
	{ "all", "::", 0, "default" },
	{ "::/0", "::", 0, "default" },
	{ "::ffff:10.77.0.0/120", "::ffff:10.77.0.0", 120, "10.77.0.0/24" },
	{ "::ffff:0:0/96", "::ffff:0.0.0.0", 96, "0.0.0.0/0" },
	{ "::/95", "::", 95, "::/95" },
};

static void test_prefixes(void)
{
	const struct nlattr *attr;
	struct srnic_prefix prefix;
	char text[SRNIC_TEXT_MAX];
	uint8_t want[16];
	unsigned int i;

	for (i = 0; i < NUM(prefixes); i++) {
		snprintf(text, sizeof(text), "policy del %s", prefixes[i].text);
		inet_pton(AF_INET6, prefixes[i].addr, want);
		kernel_reset();
		check(run(text) == CLI_OK && kernel_cmd() == SRNIC_CMD_POLICY_DEL &&
		      (attr = kernel_attr(SRNIC_A_POLICY_PREFIX)) &&
		      mnl_attr_get_payload_len(attr) == 16 &&
		      !memcmp(mnl_attr_get_payload(attr), want, 16) &&
		      attr_is_u8(kernel_attr(SRNIC_A_POLICY_PREFIX_LEN), prefixes[i].len),
		      "prefix", prefixes[i].text);

		memcpy(prefix.addr, want, 16);
		prefix.len = prefixes[i].len;
		check(!strcmp(srnic_prefix_text(&prefix, text), prefixes[i].shown),
		      "prefix shown", prefixes[i].shown);
	}
}

/* The same rule, written in different ways. */
static const char *const same_rule[] = {
	"policy add 10.77.0.0/24 require aead aes-gcm-128 key k",
	"policy add prefix 10.77.0.0/24 require aead aes-gcm-128 key k",
	"policy add 10.77.0.0/24 require mode aead suite aes-gcm-128 key k",
	"policy add 10.77.0.0/24 require key k aead aes-gcm-128",
	"policy add 10.77.0.0/24 require suite aes-gcm-128 key k mode aead",
	"policy add 10.77.0.0/24 require suite aes-gcm-128 aead key k",
	"--json policy add -d 10.77.0.0/24 require aead aes-gcm-128 key k",
};

/* Every character that a suite's name has */
static const char *const suites[] = { "aes-cmac-128/96", "chacha20-poly1305", "hmac-sha512" };

static void test_policy_suites(void)
{
	unsigned int i;
	char line[80];

	for (i = 0; i < NUM(suites); i++) {
		kernel_reset();
		snprintf(line, sizeof(line), "policy add default require header %s key k",
			 suites[i]);
		check(run(line) == CLI_OK && !*err &&
		      attr_is_text(kernel_attr(SRNIC_A_POLICY_SUITE), suites[i]),
		      "suite", suites[i]);
	}
}

static void test_policy_add(void)
{
	unsigned int i;

	for (i = 0; i < NUM(same_rule); i++) {
		kernel_reset();
		check(run(same_rule[i]) == CLI_OK && !*out && !*err &&
		      kernel_cmd() == SRNIC_CMD_POLICY_ADD &&
		      attr_is_u8(kernel_attr(SRNIC_A_POLICY_RULE), SRNIC_RULE_REQUIRE) &&
		      attr_is_u8(kernel_attr(SRNIC_A_POLICY_MODE), SRNIC_MODE_AEAD) &&
		      attr_is_text(kernel_attr(SRNIC_A_POLICY_SUITE), "aes-gcm-128") &&
		      attr_is_text(kernel_attr(SRNIC_A_POLICY_KEY), "k") &&
		      !kernel_attr(SRNIC_A_POLICY_REPLACE), "rule", same_rule[i]);
	}

	kernel_reset();
	check(run("policy add default off") == CLI_OK &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_RULE), SRNIC_RULE_OFF) &&
	      !kernel_attr(SRNIC_A_POLICY_MODE) && !kernel_attr(SRNIC_A_POLICY_SUITE) &&
	      !kernel_attr(SRNIC_A_POLICY_KEY), "rule off sends no seal", NULL);
	kernel_reset();
	check(run("policy replace default prefer header aes-cmac-128 key k") == CLI_OK &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_RULE), SRNIC_RULE_PREFER) &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_MODE), SRNIC_MODE_HEADER) &&
	      kernel_attr(SRNIC_A_POLICY_REPLACE) && !kernel_attr(SRNIC_A_POLICY_CLEAR_CM),
	      "policy replace", NULL);
	kernel_reset();
	check(run("policy add default require aead aes-gcm-128 key k clear-cm") == CLI_OK &&
	      kernel_attr(SRNIC_A_POLICY_CLEAR_CM) && !kernel_attr(SRNIC_A_POLICY_REPLACE),
	      "policy add, clear-cm", NULL);
	kernel_reset();
	check(run("policy add default require packet aes-cmac-128 key k uncached clear-cm") ==
	      CLI_OK && kernel_attr(SRNIC_A_POLICY_UNCACHED) &&
	      kernel_attr(SRNIC_A_POLICY_CLEAR_CM), "policy add, uncached", NULL);
}

static void test_refusal(void)
{
	kernel_reset();
	kernel.refusal = "suite aes-gcm-128 has no such mode: take aead";
	check(run("policy add default require header aes-gcm-128 key k") == CLI_REFUSED &&
	      !strcmp(err, "srnic: policy add: suite aes-gcm-128 has no such mode: take aead\n"),
	      "the kernel's words are passed on", NULL);
	kernel_reset();
	kernel.refusal = "not permitted";
	check(run("-j policy list") == CLI_REFUSED && !*out && one_line(err),
	      "no half of a JSON text if refused", NULL);
}

static void answer_rule(const char *addr, uint8_t len, uint8_t rule, const char *key)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_POLICY_GET);
	uint8_t bytes[16];

	inet_pton(AF_INET6, addr, bytes);
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, sizeof(bytes), bytes);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_PREFIX_LEN, len);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, rule);
	if (key) {
		mnl_attr_put_u8(nlh, SRNIC_A_POLICY_MODE, SRNIC_MODE_AEAD);
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_SUITE, "aes-gcm-128");
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_KEY, key);
		if (rule == SRNIC_RULE_PREFER) {
			mnl_attr_put(nlh, SRNIC_A_POLICY_CLEAR_CM, 0, NULL);
			mnl_attr_put(nlh, SRNIC_A_POLICY_UNCACHED, 0, NULL);
		}
	}
	kernel_commit(nlh);
}

static void answer_key(const char *name)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_KEY_GET);

	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_LEN, 32);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_GENERATION, 1);
	kernel_commit(nlh);
}

static void answer_key_of_two(const char *name, enum srnic_key_secret other)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_KEY_GET);

	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_LEN, 32);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_GENERATION, 11);
	mnl_attr_put_u8(nlh, SRNIC_A_KEY_OTHER, other);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_OTHER_LEN, 16);
	mnl_attr_put_u64(nlh, SRNIC_A_KEY_SEALED, 5000000000);
	kernel_commit(nlh);
}

static void shows(const char *line, const char *text)
{
	check(run(line) == CLI_OK && !*err && !strcmp(out, text), "shown by", line);
}

static void test_policy_list(void)
{
	kernel_reset();
	shows("policy list", "");
	shows("-j policy", "[]\n");

	answer_rule("::ffff:10.77.0.0", 120, SRNIC_RULE_REQUIRE, "lab");
	answer_rule("fd77::", 64, SRNIC_RULE_PREFER, "gone");
	answer_rule("::", 0, SRNIC_RULE_OFF, NULL);
	answer_key("lab");
	shows("policy",
	      "PREFIX        RULE     MODE  SUITE        KEY             CM      SUB-KEYS\n"
	      "10.77.0.0/24  require  aead  aes-gcm-128  lab             sealed  cached\n"
	      "fd77::/64     prefer   aead  aes-gcm-128  gone (missing)  clear   uncached\n"
	      "default       off      -     -            -               -       -\n");
	shows("policy list --json",
	      "[{\"prefix\":\"10.77.0.0/24\",\"rule\":\"require\",\"mode\":\"aead\",\"suite\":\"aes-gcm-128\",\"key\":\"lab\",\"key_present\":true,\"clear_cm\":false,\"uncached\":false},"
	      "{\"prefix\":\"fd77::/64\",\"rule\":\"prefer\",\"mode\":\"aead\",\"suite\":\"aes-gcm-128\",\"key\":\"gone\",\"key_present\":false,\"clear_cm\":true,\"uncached\":true},"
	      "{\"prefix\":\"default\",\"rule\":\"off\"}]\n");
	shows("key",
	      "NAME  BYTES  GENERATION  SEALED  OTHER\n"
	      "lab      32           1       0  -\n");
	shows("-p key list",
	      "[\n    {\n        \"name\": \"lab\",\n        \"bytes\": 32,\n        \"generation\": 1,\n        \"sealed\": 0\n    }\n]\n");
}

/* A key is listed with what its second secret is, and without secrets. */
static void test_key_list(void)
{
	kernel_reset();
	answer_key_of_two("a", SRNIC_KEY_SECRET_NEXT);
	answer_key_of_two("b", SRNIC_KEY_SECRET_FORMER);
	shows("key list",
	      "NAME  BYTES  GENERATION      SEALED  OTHER\n"
	      "a        32          11  5000000000  next\n"
	      "b        32          11  5000000000  former\n");
	shows("-j key",
	      "[{\"name\":\"a\",\"bytes\":32,\"generation\":11,\"sealed\":5000000000,\"other\":\"next\",\"other_bytes\":16},"
	      "{\"name\":\"b\",\"bytes\":32,\"generation\":11,\"sealed\":5000000000,\"other\":\"former\",\"other_bytes\":16}]\n");
}

/* Two rules, and a kernel that may fail to delete one */
static void two_rules(int refusal, const char *text)
{
	kernel_reset();
	answer_rule("::ffff:10.77.0.0", 120, SRNIC_RULE_REQUIRE, "lab");
	answer_rule("::", 0, SRNIC_RULE_OFF, NULL);
	kernel.err = refusal;
	kernel.refusal = text;
	kernel.refuse_cmd = SRNIC_CMD_POLICY_DEL;
}

static void test_policy_flush(void)
{
	kernel_reset();
	check(run("policy flush") == CLI_OK && !*out && !*err && kernel.requests == 1,
	      "policy flush without rules", NULL);
	two_rules(0, NULL);
	check(run("policy flush") == CLI_OK && !*out && !*err && kernel.requests == 3 &&
	      kernel_cmd() == SRNIC_CMD_POLICY_DEL &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_PREFIX_LEN), 0),
	      "policy flush deletes all rules", NULL);
	two_rules(ENOENT, NULL);
	check(run("policy flush") == CLI_OK && !*err && kernel.requests == 3,
	      "policy flush beside another", NULL);
	two_rules(EPERM, "not permitted");
	check(run("policy flush") == CLI_REFUSED && kernel.requests == 2 &&
	      !strcmp(err, "srnic: policy flush: not permitted\n"), "policy flush refused", NULL);
}

static void answer_dev(uint32_t index, const char *name)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_DEV_GET);
	static const char *const quotas[] = { "pd", "qp", "cq", "mr" };
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, index);
	mnl_attr_put_strz(nlh, SRNIC_A_DEV_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_IFINDEX, 1);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_MTU, 4352);
	for (i = 0; i < NUM(quotas); i++) {
		nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_QUOTA);
		mnl_attr_put_strz(nlh, SRNIC_A_QUOTA_NAME, quotas[i]);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_USED, i);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_LIMIT, 1000 * i);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_RESERVE, 100 * i);
		mnl_attr_nest_end(nlh, nest);
	}
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_LIMIT);
	mnl_attr_put_strz(nlh, SRNIC_A_LIMIT_NAME, "idle");
	mnl_attr_put_u32(nlh, SRNIC_A_LIMIT_VALUE, 10 * (index - 7));
	mnl_attr_put_u32(nlh, SRNIC_A_LIMIT_HIGHEST, 100);
	mnl_attr_nest_end(nlh, nest);
	if (index == 9) {
		mnl_attr_put_u16(nlh, SRNIC_A_DEV_PKEY, 0xffff);
		mnl_attr_put_u16(nlh, SRNIC_A_DEV_PKEY, 1);
		mnl_attr_put_u32(nlh, SRNIC_A_DEV_IB_MTU, 2048);
		kernel_put_node(nlh, 1, 0, true);
		kernel_put_node(nlh, 2, 2, true);
		kernel_put_node(nlh, 3, 3, false);
	}
	kernel_commit(nlh);
}

static void test_devices(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	shows("show",
	      "DEVICE  NETDEV   MTU  IB-MTU  QPS  CQS  MRS\n"
	      "srnic0  lo      4352       -    1    2    3\n"
	      "srnic1  lo      4352    2048    1    2    3\n");
	shows("-j show dev srnic1",
	      "[{\"device\":\"srnic1\",\"index\":9,\"netdev\":\"lo\",\"ifindex\":1,\"mtu\":4352,\"ib_mtu\":2048,\"in_use\":{\"pd\":0,\"qp\":1,\"cq\":2,\"mr\":3}}]\n");
	shows("quota show srnic0",
	      "DEVICE  QUOTA  USED  LIMIT  RESERVE\n"
	      "srnic0  pd        0      0        0\n"
	      "srnic0  qp        1   1000      100\n"
	      "srnic0  cq        2   2000      200\n"
	      "srnic0  mr        3   3000      300\n");
	check(run("show dev srnic2") == CLI_REFUSED && one_line(err) && !*out &&
	      strstr(err, "no srnic device 'srnic2' in this namespace"), "no such device", NULL);

	check(run("quota set dev srnic1 qp 5") == CLI_OK && kernel_cmd() == SRNIC_CMD_QUOTA_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9), "quota set", NULL);
	check(attr_is_text(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_NAME), "qp") &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_LIMIT), 5) &&
	      !kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_RESERVE),
	      "quota set sends name and limit", NULL);
	check(run("quota set srnic1 qp 5 reserve 2") == CLI_OK &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_LIMIT), 5) &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_RESERVE), 2),
	      "quota set sends the reserve", NULL);
}

static void test_limits(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	shows("limit",
	      "DEVICE  LIMIT  VALUE\n"
	      "srnic0  idle    none\n"
	      "srnic1  idle      20\n");
	shows("-j limit show srnic1",
	      "[{\"device\":\"srnic1\",\"limit\":\"idle\",\"value\":20,\"highest\":100}]\n");
	check(run("limit set srnic1 idle 5") == CLI_OK && kernel_cmd() == SRNIC_CMD_LIMIT_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_text(kernel_nested(SRNIC_A_DEV_LIMIT, SRNIC_A_LIMIT_NAME), "idle") &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_LIMIT, SRNIC_A_LIMIT_VALUE), 5),
	      "limit set", NULL);
	check(run("limit set dev srnic1 idle none") == CLI_OK &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_LIMIT, SRNIC_A_LIMIT_VALUE), 0),
	      "limit set to none", NULL);
}

static bool attr_is_u16(const struct nlattr *attr, uint16_t value)
{
	return attr && mnl_attr_get_payload_len(attr) == sizeof(value) &&
		mnl_attr_get_u16(attr) == value;
}

static void test_pkeys(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	shows("pkey",
	      "DEVICE  PKEY    MEMBERSHIP\n"
	      "srnic1  0xffff  full\n"
	      "srnic1  0x0001  limited\n");
	shows("-j pkey show srnic1",
	      "[{\"device\":\"srnic1\",\"pkey\":\"0xffff\",\"membership\":\"full\"},{\"device\":\"srnic1\",\"pkey\":\"0x0001\",\"membership\":\"limited\"}]\n");
	check(run("pkey add srnic1 0x8001") == CLI_OK && kernel_cmd() == SRNIC_CMD_PKEY_ADD &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_u16(kernel_attr(SRNIC_A_DEV_PKEY), 0x8001), "pkey add", NULL);
	check(run("pkey del dev srnic1 32769") == CLI_OK && kernel_cmd() == SRNIC_CMD_PKEY_DEL &&
	      attr_is_u16(kernel_attr(SRNIC_A_DEV_PKEY), 0x8001), "pkey del", NULL);
}

static bool node_is(uint8_t role, const char *gid)
{
	const struct nlattr *nest = kernel_attr(SRNIC_A_DEV_NODE), *attr;
	char text[INET6_ADDRSTRLEN] = "";
	int found = -1;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == SRNIC_A_NODE_ROLE)
			found = mnl_attr_get_u8(attr);
		else
			inet_ntop(AF_INET6, mnl_attr_get_payload(attr), text, sizeof(text));
	}
	return found == role && !strcmp(text, gid);
}

static void test_subnet(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	shows("subnet",
	      "DEVICE  GID      ROLE     LID  PORT  LINK\n"
	      "srnic1  fe80::1  manager   11     -  -\n"
	      "srnic1  fe80::2  member    12     2  up\n"
	      "srnic1  fe80::3  member     -     3  down\n");
	shows("-j subnet show srnic1",
	      "[{\"device\":\"srnic1\",\"gid\":\"fe80::1\",\"role\":\"manager\",\"lid\":11},{\"device\":\"srnic1\",\"gid\":\"fe80::2\",\"role\":\"member\",\"lid\":12,\"port\":2,\"up\":true},{\"device\":\"srnic1\",\"gid\":\"fe80::3\",\"role\":\"member\",\"port\":3,\"up\":false}]\n");
	check(run("subnet add srnic1 member fe80::7") == CLI_OK &&
	      kernel_cmd() == SRNIC_CMD_NODE_ADD &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      node_is(SRNIC_ROLE_MEMBER, "fe80::7"), "subnet add member", NULL);
	check(run("subnet add dev srnic1 manager") == CLI_OK &&
	      node_is(SRNIC_ROLE_MANAGER, ""), "subnet add manager", NULL);
	check(run("subnet del srnic1 manager fe80::1") == CLI_OK &&
	      kernel_cmd() == SRNIC_CMD_NODE_DEL &&
	      node_is(SRNIC_ROLE_MANAGER, "fe80::1"), "subnet del", NULL);
}

static void test_mtu(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	shows("mtu",
	      "DEVICE  IB-MTU\n"
	      "srnic1    2048\n");
	shows("mtu show srnic0", "");
	shows("-j mtu show dev srnic1", "[{\"device\":\"srnic1\",\"ib_mtu\":2048}]\n");
	check(run("mtu set srnic1 4096") == CLI_OK && kernel_cmd() == SRNIC_CMD_MTU_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_IB_MTU), 4096), "mtu set", NULL);
}

static void answer_user(uint32_t uid, uint32_t qps)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_USER_GET);
	const struct { const char *name; uint32_t used; } his[] = { { "pd", 0 }, { "qp", qps } };
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_u32(nlh, SRNIC_A_USER_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_USER_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_USER_UID, uid);
	for (i = 0; i < NUM(his); i++) {
		nest = mnl_attr_nest_start(nlh, SRNIC_A_USER_QUOTA);
		mnl_attr_put_strz(nlh, SRNIC_A_QUOTA_NAME, his[i].name);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_USED, his[i].used);
		mnl_attr_nest_end(nlh, nest);
	}
	kernel_commit(nlh);
}

static void test_users(void)
{
	kernel_reset();
	answer_user(0, 5);
	answer_user(4000000000, 12);
	shows("quota users",
	      "DEVICE  USER        QUOTA  USED\n"
	      "srnic0  root        qp        5\n"
	      "srnic0  4000000000  qp       12\n");
	shows("-j quota users",
	      "[{\"device\":\"srnic0\",\"uid\":0,\"quota\":\"qp\",\"used\":5},{\"device\":\"srnic0\",\"uid\":4000000000,\"quota\":\"qp\",\"used\":12}]\n");
}

static void answer_entry(uint32_t serial, bool legible)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_LOG_GET);
	static const uint8_t peer[16] = { [10] = 0xff, 0xff, 10, 77, 0, 2 };

	mnl_attr_put_u32(nlh, SRNIC_A_LOG_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_LOG_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_SERIAL, serial);
	mnl_attr_put_u64(nlh, SRNIC_A_LOG_TIME, 86400123456789ull);
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_COUNT, serial + 1);
	mnl_attr_put_strz(nlh, SRNIC_A_LOG_REASON, legible ? "stag_pd" : "malformed");
	mnl_attr_put(nlh, SRNIC_A_LOG_PEER, sizeof(peer), peer);
	if (legible) {
		mnl_attr_put_u32(nlh, SRNIC_A_LOG_QPN, 17);
		mnl_attr_put_u32(nlh, SRNIC_A_LOG_PSN, 0xabc);
		mnl_attr_put_u8(nlh, SRNIC_A_LOG_OPCODE, 0x0c);
	}
	kernel_commit(nlh);
}

static void test_log(void)
{
	setenv("TZ", "UTC", 1);
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_entry(0, true);
	answer_entry(1, false);
	shows("log",
	      "TIME                     DEVICE  REASON     COUNT  PEER       QPN  OPCODE       PSN\n"
	      "1970-01-02 00:00:00.123  srnic0  stag_pd        1  10.77.0.2   17    0x0c  0x000abc\n"
	      "1970-01-02 00:00:00.123  srnic0  malformed      2  10.77.0.2    -       -         -\n");
	check(!kernel_attr(SRNIC_A_LOG_DEV_INDEX), "log of all devices", NULL);
	shows("-j log show dev srnic0",
	      "[{\"device\":\"srnic0\",\"serial\":0,\"time\":86400123456789,\"reason\":\"stag_pd\",\"count\":1,\"peer\":\"10.77.0.2\",\"qpn\":17,\"opcode\":12,\"psn\":2748},"
	      "{\"device\":\"srnic0\",\"serial\":1,\"time\":86400123456789,\"reason\":\"malformed\",\"count\":2,\"peer\":\"10.77.0.2\"}]\n");
	check(attr_is_u32(kernel_attr(SRNIC_A_LOG_DEV_INDEX), 7), "log of one device", NULL);
	check(run("log follow dev srnic2") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "no srnic device 'srnic2'"), "log follow without its device", NULL);
	kernel.closed = true;
	check(run("log follow") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "log follow: not permitted: needs CAP_NET_ADMIN"),
	      "log follow refused", NULL);
}

static struct nlmsghdr *answer_peer(uint8_t last_byte)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_PEER_GET);
	const uint8_t peer[16] = { [10] = 0xff, 0xff, 10, 77, 0, last_byte };

	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_PEER_DEV_NAME, "srnic0");
	mnl_attr_put(nlh, SRNIC_A_PEER_ADDRESS, sizeof(peer), peer);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_SILENT, 1000u * last_byte + 567);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DROPPED, 0);
	return nlh;
}

static void answer_fault(struct nlmsghdr *nlh, const char *name, uint32_t count)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, SRNIC_A_PEER_FAULT);

	mnl_attr_put_strz(nlh, SRNIC_A_FAULT_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_FAULT_COUNT, count);
	mnl_attr_nest_end(nlh, nest);
}

/* A peer with faults, one cut off for faults, one cut off by hand */
static void answer_peers(void)
{
	struct nlmsghdr *nlh = answer_peer(2);

	answer_fault(nlh, "repeat", 7);
	kernel_commit(nlh);
	nlh = answer_peer(9);
	answer_fault(nlh, "garbage", 12);
	answer_fault(nlh, "seal", 3);
	mnl_attr_put(nlh, SRNIC_A_PEER_CUT_OFF, 0, NULL);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_SECONDS, 30);
	kernel_commit(nlh);
	nlh = answer_peer(10);
	mnl_attr_put(nlh, SRNIC_A_PEER_CUT_OFF, 0, NULL);
	kernel_commit(nlh);
}

static void test_peers(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_peers();
	shows("peer",
	      "DEVICE  PEER        SILENT  CUT-OFF  DROPPED  FAULTS\n"
	      "srnic0  10.77.0.2    2.5 s       no        0  repeat 7\n"
	      "srnic0  10.77.0.9    9.5 s     30 s        0  garbage 12, seal 3\n"
	      "srnic0  10.77.0.10  10.5 s      yes        0  -\n");
	check(!kernel_attr(SRNIC_A_PEER_DEV_INDEX), "peers of all devices", NULL);
	shows("-j peer show dev srnic0",
	      "[{\"device\":\"srnic0\",\"peer\":\"10.77.0.2\",\"faults\":{\"repeat\":7},\"silent_ms\":2567,\"dropped\":0,\"cut_off\":false},"
	      "{\"device\":\"srnic0\",\"peer\":\"10.77.0.9\",\"faults\":{\"garbage\":12,\"seal\":3},\"silent_ms\":9567,\"dropped\":0,\"cut_off\":true,\"seconds\":30},"
	      "{\"device\":\"srnic0\",\"peer\":\"10.77.0.10\",\"faults\":{},\"silent_ms\":10567,\"dropped\":0,\"cut_off\":true}]\n");
	check(attr_is_u32(kernel_attr(SRNIC_A_PEER_DEV_INDEX), 7), "peers of one device", NULL);
}

static void test_peer_cut(void)
{
	static const uint8_t peer[16] = { [10] = 0xff, 0xff, 10, 77, 0, 9 };

	kernel_reset();
	answer_dev(7, "srnic0");
	check(run("peer cut srnic0 10.77.0.9 seconds 60") == CLI_OK && !*out && !*err &&
	      kernel_cmd() == SRNIC_CMD_PEER_CUT &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_DEV_INDEX), 7) &&
	      attr_is_bytes(kernel_attr(SRNIC_A_PEER_ADDRESS), peer, sizeof(peer)) &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_SECONDS), 60), "peer cut", NULL);
	check(run("peer cut dev srnic0 10.77.0.9") == CLI_OK &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_SECONDS), 0), "peer cut for good", NULL);
	check(run("peer allow srnic0 10.77.0.9") == CLI_OK && !*out && !*err &&
	      kernel_cmd() == SRNIC_CMD_PEER_ALLOW &&
	      attr_is_bytes(kernel_attr(SRNIC_A_PEER_ADDRESS), peer, sizeof(peer)),
	      "peer allow", NULL);
	check(run("peer allow srnic2 10.77.0.9") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "no srnic device 'srnic2'"), "peer allow without its device", NULL);
}

static struct nlmsghdr *answer_qp(uint32_t qpn, uint8_t type)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_QP_GET);

	mnl_attr_put_u32(nlh, SRNIC_A_QP_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_QP_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_QP_QPN, qpn);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_TYPE, type);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_STATE, SRNIC_QP_STATE_RTS);
	return nlh;
}

static void answer_qps(void)
{
	struct nlmsghdr *nlh;
	uint8_t peer[16];

	nlh = answer_qp(1, SRNIC_QP_TYPE_GSI);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_MODE, SRNIC_MODE_OFF);
	kernel_commit(nlh);

	nlh = answer_qp(17, SRNIC_QP_TYPE_RC);
	inet_pton(AF_INET6, "::ffff:10.77.0.2", peer);
	mnl_attr_put(nlh, SRNIC_A_QP_PEER, sizeof(peer), peer);
	mnl_attr_put_u32(nlh, SRNIC_A_QP_PEER_QPN, 18);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_MODE, SRNIC_MODE_AEAD);
	mnl_attr_put_strz(nlh, SRNIC_A_QP_SUITE, "aes-gcm-128");
	mnl_attr_put_strz(nlh, SRNIC_A_QP_DRIVER, "gcm-aesni");
	mnl_attr_put(nlh, SRNIC_A_QP_UNCACHED, 0, NULL);
	kernel_put_flow(nlh, SRNIC_FLOW_SIDE_OURS, 1, 10, 13);
	kernel_put_flow(nlh, SRNIC_FLOW_SIDE_THEIRS, 1, 20, 23);
	kernel_commit(nlh);
}

static void test_qps(void)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_qps();
	shows("qp",
	      "DEVICE  QPN  TYPE  STATE  PEER       PEER-QPN  MODE  SUITE        SEALED  OPENED  FAILED  REPLAYED\n"
	      "srnic0    1  gsi   rts    -                 -  off   -                 0       0       0         0\n"
	      "srnic0   17  rc    rts    10.77.0.2        18  aead  aes-gcm-128      30      32      34        36\n");
	shows("-d qp dev srnic0",
	      "DEVICE  QPN  TYPE  STATE  PEER       PEER-QPN  MODE  SUITE        DRIVER     SUB-KEYS  FLOW    READY  EPOCH       PSN64  SEALED  OPENED  FAILED  REPLAYED\n"
	      "srnic0    1  gsi   rts    -                 -  off   -            -          -         -       -          -           -       -       -       -         -\n"
	      "srnic0   17  rc    rts    10.77.0.2        18  aead  aes-gcm-128  gcm-aesni  uncached  ours    yes        1  4294967296      10      11      12        13\n"
	      "srnic0   17  rc    rts    10.77.0.2        18  aead  aes-gcm-128  gcm-aesni  uncached  theirs  no         1  4294967296      20      21      22        23\n");
	check(attr_is_u32(kernel_attr(SRNIC_A_QP_DEV_INDEX), 7),
	      "qp asks for one device only", NULL);
	shows("qp -j",
	      "[{\"device\":\"srnic0\",\"qpn\":1,\"type\":\"gsi\",\"state\":\"rts\",\"mode\":\"off\"},"
	      "{\"device\":\"srnic0\",\"qpn\":17,\"type\":\"rc\",\"state\":\"rts\",\"peer\":\"10.77.0.2\",\"peer_qpn\":18,\"mode\":\"aead\",\"suite\":\"aes-gcm-128\",\"crypto_driver\":\"gcm-aesni\",\"uncached\":true,\"flows\":["
	      "{\"flow\":\"ours\",\"ready\":true,\"epoch\":1,\"psn64\":4294967296,\"sealed\":10,\"opened\":11,\"failed\":12,\"replayed\":13},"
	      "{\"flow\":\"theirs\",\"ready\":false,\"epoch\":1,\"psn64\":4294967296,\"sealed\":20,\"opened\":21,\"failed\":22,\"replayed\":23}]}]\n");
}

static void answer_suite(const char *name, bool available)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_SUITE_GET);

	mnl_attr_put_strz(nlh, SRNIC_A_SUITE_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_MODES, 1 << SRNIC_MODE_HEADER | 1 << SRNIC_MODE_PACKET);
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_STH_LEN, 16);
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_TAG_LEN, 16);
	if (available)
		mnl_attr_put(nlh, SRNIC_A_SUITE_AVAILABLE, 0, NULL);
	kernel_commit(nlh);
}

static void test_suites(void)
{
	kernel_reset();
	answer_suite("aes-cmac-128", true);
	shows("suite list",
	      "SUITE         MODES          TAG  BYTES/PACKET  AVAILABLE\n"
	      "aes-cmac-128  header,packet   16            16  yes\n");
	shows("suite -j",
	      "[{\"suite\":\"aes-cmac-128\",\"modes\":[\"header\",\"packet\"],\"tag_bytes\":16,\"packet_bytes\":16,\"available\":true}]\n");
}

/* Names with arbitrary bytes must not break the JSON. */
static void test_escapes(void)
{
	struct nlmsghdr *nlh;

	kernel_reset();
	nlh = kernel_answer(SRNIC_CMD_KEY_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, "a\"b\\c\n\x01\x7f\xc3\xa9\xff\xc0\x80\xed\xa0\x80");
	kernel_commit(nlh);
	shows("-j key",
	      "[{\"name\":\"a\\\"b\\\\c\\u000a\\u0001\\u007f\xc3\xa9\\u00ff\\u00c0\\u0080\\u00ed\\u00a0\\u0080\",\"bytes\":0,\"generation\":0,\"sealed\":0}]\n");
}

/* A newer or broken kernel: unknown sizes and values. */
static void test_strange_answers(void)
{
	struct nlmsghdr *nlh;

	kernel_reset();
	nlh = kernel_answer(SRNIC_CMD_POLICY_GET);
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, 3, "abc");
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, 77);
	mnl_attr_put(nlh, SRNIC_A_POLICY_KEY, 4, "abcd");	/* not terminated */
	mnl_attr_put_u32(nlh, 1000, 1);
	kernel_commit(nlh);
	shows("policy list", "PREFIX   RULE  MODE  SUITE  KEY  CM  SUB-KEYS\n"
	      "default  ?     -     -      -    -   -\n");
}

static void test_help(void)
{
	static const char *const lines[] = {
		"help", "--help", "help show", "show --help", "help qp", "-h qp", "policy add --help",
		"key -h", "quota --help", "limit -h", "help suite", "help peer",
		"apply --help", "help save", "help doctor",
	};
	unsigned int i;

	for (i = 0; i < NUM(lines); i++) {
		kernel_reset();
		check(run(lines[i]) == CLI_OK && !*err && strstr(out, "Example") &&
		      !strncmp(out, "Usage: srnic ", 13) && !kernel.requests, "help", lines[i]);
	}
	check(run("-V") == CLI_OK && !strncmp(out, "srnic ", 6), "version", NULL);
	check(run("") == CLI_USAGE && !*out && strstr(err, "Usage: srnic"), "no command", NULL);
}

static void shell(const char *fmt, const char *word, const char *line)
{
	char command[1024];

	snprintf(command, sizeof(command), fmt, word, line);
	if (chdir(folder) || system(command))
		abort();
}

static void remove_folder(void)
{
	shell("rm -r \"$PWD\"", NULL, NULL);
}

/* Give the host below the test's folder a file with one line. */
static void host_file(const char *path, const char *line)
{
	shell("install -D /dev/stdin .%s <<'END'\n%s\nEND", path, line);
}

/* Whether the doctor prints a line that begins with this word and has this text */
static bool finds(const char *verdict, const char *text)
{
	char *line, *rest = strdup(out), *all = rest;
	bool found = false;

	while (!found && (line = strsep(&rest, "\n")))
		found = !strncmp(line, verdict, strlen(verdict)) && strstr(line, text);
	free(all);
	return found;
}

static void answer_healthy(const char *key, bool suite)
{
	kernel_reset();
	answer_dev(7, "srnic0");
	answer_rule("::ffff:10.77.0.0", 120, SRNIC_RULE_REQUIRE, key);
	answer_rule("::", 0, SRNIC_RULE_OFF, NULL);
	answer_key("lab");
	answer_suite("aes-gcm-128", suite);
}

/* The stand-in of libibverbs, beside which its providers are: see the Makefile */
static const char *provider(const char *name)
{
	static char path[512];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		abort();
	path[len] = '\0';
	snprintf(strrchr(path, '/'), 200, "/tests/libibverbs/%s", name);
	return path;
}

static void test_doctor_finds_providers(void)
{
	root = folder;
	host_file("/etc/libibverbs.d/srnic.driver", "driver srnic");
	host_file("/usr/lib/some/libibverbs/libsrnic-rdmav34.so", "");
	host_file(provider("libsrnic-rdmav33.so"), "");
	shell("rm -f .%s%s", provider("libsrnic-rdmav34.so"), "");
	run("doctor");
	check(finds("FAULT", "libibverbs looks for a provider") &&
	      finds("FAULT", "/tests/libibverbs/libsrnic-rdmav34.so"),
	      "a provider elsewhere, or of another ABI, is none", NULL);
	host_file(provider("libsrnic-rdmav34.so"), "");
	run("doctor");
	check(!strstr(out, "provider"), "one beside libibverbs is", NULL);
	root = NULL;
}

static void test_doctor_knows_peers(void)
{
	static const char peer[] = "gone " PUBLIC_KEY " - 10.77.0.0/24\n";

	write_file("peers", peer, strlen(peer));
	answer_healthy("gone", true);
	run("doctor");
	check(finds("FAULT", "key gone is missing") &&
	      strstr(out, "systemctl enable --now srnicd") &&
	      !strstr(out, "srnic key add"), "the key of a peer comes from srnicd", NULL);
	write_file("peers", "gone\n", 5);
	answer_healthy("lab", true);
	check(run("doctor") == CLI_REFUSED && finds("FAULT", "peers, line 1"),
	      "a file of peers that srnicd cannot read", NULL);
	unlink(file("peers"));
}

static void test_doctor(void)
{
	root = folder;
	kernel_reset();
	kernel.unknown = true;
	check(run("doctor") == CLI_REFUSED && finds("FAULT", "modprobe srnic") &&
	      finds("FAULT", "no provider") && finds("FAULT", "uverbs") &&
	      finds("FAULT", "rdma_cm"), "nothing is there", NULL);

	host_file("/etc/libibverbs.d/srnic.driver", "driver srnic");
	host_file(provider("libsrnic-rdmav34.so"), "");
	host_file("/dev/infiniband/uverbs0", "");
	host_file("/dev/infiniband/rdma_cm", "");
	host_file("/proc/cpuinfo", "flags : fpu aes avx");
	host_file("/sys/module/ib_core/parameters/netns_mode", "Y");
	host_file("/sys/module/srnic/version", SRNIC_VERSION);
	answer_healthy("lab", true);
	check(run("doctor") == CLI_OK && !*err && !strstr(out, "FAULT") && !strstr(out, "AES") &&
	      finds("ok", "the module is loaded") && finds("ok", "device srnic0"), "all is well",
	      NULL);
	check(run("-j doctor") == CLI_OK && !*err &&
	      !strncmp(out, "[{\"verdict\":\"ok\",\"what\":\"the module is loaded\"}", 47),
	      "the same as JSON", NULL);

	host_file("/sys/class/infiniband/srnic0/ports/1/hw_counters/sth_version", "0");
	check(run("doctor") == CLI_OK && !strstr(out, "another version"), "peers of our version",
	      NULL);
	host_file("/sys/class/infiniband/srnic0/ports/1/hw_counters/sth_version", "3");
	check(run("doctor") == CLI_OK && finds("note", "3 handshakes of another version"),
	      "a peer of another version", NULL);

	answer_healthy("gone", true);
	check(run("doctor") == CLI_REFUSED &&
	      finds("FAULT", "rule 10.77.0.0/24: key gone is missing") &&
	      strstr(out, "srnic key add gone --file FILE"), "a rule without its key", NULL);
	answer_healthy("lab", false);
	check(run("doctor") == CLI_REFUSED && finds("FAULT", "lacks aes-gcm-128"),
	      "a rule without its algorithm", NULL);
	answer_healthy("lab", true);
	kernel.refusal = "not permitted";
	kernel.refuse_cmd = SRNIC_CMD_POLICY_GET;
	check(run("doctor") == CLI_OK && finds("note", "rules are not looked at: not permitted"),
	      "not as root", NULL);
	kernel_reset();
	check(run("doctor") == CLI_REFUSED && finds("FAULT", "there is no device") &&
	      strstr(out, "rdma link add"), "no device", NULL);

	host_file("/proc/cpuinfo", "flags : fpu avx");
	host_file("/sys/module/ib_core/parameters/netns_mode", "N");
	host_file("/sys/module/srnic/version", "0.0");
	answer_healthy("lab", true);
	check(run("doctor") == CLI_REFUSED && finds("FAULT", "version 0.0") &&
	      finds("note", "no AES instructions") && finds("note", "own network namespace only"),
	      "an old module, an old processor", NULL);
	root = NULL;
}

static void test_genkey(void)
{
	setenv("SRNIC_FOLDER", folder, 1);
	kernel_reset();
	check(run("pubkey") == CLI_REFUSED && one_line(err) && strstr(err, "srnic genkey"),
	      "no private key", NULL);
	write_file("private.key", PRIVATE_KEY, strlen(PRIVATE_KEY));
	check(run("pubkey") == CLI_OK && !strcmp(out, PUBLIC_KEY "\n") && !*err, "pubkey", NULL);
	check(run("-j pubkey") == CLI_OK && !strcmp(out, "{\"public_key\":\"" PUBLIC_KEY "\"}\n"),
	      "pubkey as JSON", NULL);
	check(run("genkey") == CLI_REFUSED && one_line(err) && !*out &&
	      strstr(err, "there is a private key"), "genkey overwrites nothing", NULL);
	chmod(file("private.key"), 0644);
	check(run("pubkey") == CLI_REFUSED && one_line(err) && strstr(err, "others can read"),
	      "a private key that others can read", NULL);
	unlink(file("private.key"));
	check(run("genkey") == CLI_OK && strlen(out) == 45 && strcmp(out, PUBLIC_KEY "\n") &&
	      !*err && !kernel.requests, "genkey", NULL);
	unlink(file("private.key"));
}

/* srnicd runs as a user of its own, who must reach the file of peers. */
static void test_genkey_folder(void)
{
	mode_t before = umask(077);
	struct stat st = {};

	setenv("SRNIC_FOLDER", file("made"), 1);
	check(run("genkey") == CLI_OK && !stat(file("made"), &st) && (st.st_mode & 07777) == 0755,
	      "genkey makes a folder that others can read, whatever the umask", NULL);
	check(!stat(file("made/private.key"), &st) && (st.st_mode & 07777) == 0600,
	      "but not the private key", NULL);
	unlink(file("made/private.key"));
	chmod(file("made"), 0700);
	check(run("genkey") == CLI_OK && !stat(file("made"), &st) && (st.st_mode & 07777) == 0700,
	      "a folder that is there keeps its mode", NULL);
	unlink(file("made/private.key"));
	rmdir(file("made"));
	umask(before);
	setenv("SRNIC_FOLDER", folder, 1);
}

static int apply(const char *lines)
{
	kernel_reset();
	write_file("settings", lines, strlen(lines));
	return run_with_file("apply @settings");
}

static void test_apply(void)
{
	check(apply("# rules\n\n  policy\treplace 10.77.0.0/24 require aead aes-gcm-128 key lab # x\n"
		    "policy del default") == CLI_OK && !*err && !*out &&
	      kernel.requests == 2 && kernel_cmd() == SRNIC_CMD_POLICY_DEL,
	      "lines, blanks and comments", NULL);
	check(apply("policy list\npolicy del 10.0.0.1x\npolicy del default\n") == CLI_USAGE &&
	      one_line(err) && strstr(err, "settings:2: policy del: '10.0.0.1x' is not") &&
	      kernel_cmd() != SRNIC_CMD_POLICY_DEL, "the first wrong line is the last", NULL);
	check(apply("nonsense\n") == CLI_USAGE && one_line(err) &&
	      strstr(err, "settings:1: unknown command 'nonsense'"), "no such command", NULL);
	check(apply("\n\napply -\n") == CLI_USAGE && one_line(err) &&
	      strstr(err, "settings:3: apply"), "a file that applies another one", NULL);
	check(apply("policy add 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 "
		    "26 27 28 29 30 31\n") == CLI_USAGE && one_line(err) &&
	      strstr(err, "more than 32 words"), "too many words", NULL);
	check(apply("") == CLI_OK && !*err && !kernel.requests, "an empty file", NULL);
	kernel.refusal = "no room";
	write_file("settings", "key del lab\n", 12);
	check(run_with_file("apply @settings") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "settings:1: key del: no room"), "a refusal has a place", NULL);
	check(run("nonsense") == CLI_USAGE && !strstr(err, "settings"), "the next error has none",
	      NULL);
	unlink(file("settings"));
	check(run_with_file("apply @settings") == CLI_REFUSED && one_line(err) &&
	      strstr(err, "cannot open") && strstr(err, "No such file"), "no file", NULL);
}

static void test_save(void)
{
	char *saved;

	kernel_reset();
	answer_rule("::ffff:10.77.0.0", 120, SRNIC_RULE_REQUIRE, "lab");
	answer_rule("fd77::", 64, SRNIC_RULE_PREFER, "lab");
	answer_rule("::", 0, SRNIC_RULE_OFF, NULL);
	answer_key("lab");
	shows("save", "# The kernel shows no secret: these files must have them\n"
	      "key replace lab --file /etc/srnic/lab.key\n"
	      "policy replace 10.77.0.0/24 require aead aes-gcm-128 key lab\n"
	      "policy replace fd77::/64 prefer aead aes-gcm-128 key lab clear-cm uncached\n"
	      "policy replace default off\n");
	saved = strdup(strstr(out, "policy"));
	check(apply(saved) == CLI_OK && kernel.requests == 3 &&
	      kernel_cmd() == SRNIC_CMD_POLICY_ADD, "what was saved can be applied", NULL);
	free(saved);
	unlink(file("settings"));
}

/* srnicd makes the keys of its peers, and adds their rules: no file has such a secret. */
static void test_save_with_peers(void)
{
	static const char peers[] =
		"b " PUBLIC_KEY " 192.0.2.2:14791 10.77.0.2\n"
		"c AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI= - 10.77.0.3 aes-gcm-256\n";

	write_file("peers", peers, strlen(peers));
	kernel_reset();
	answer_rule("::ffff:10.77.0.0", 120, SRNIC_RULE_REQUIRE, "lab");
	answer_rule("::ffff:10.77.0.2", 128, SRNIC_RULE_REQUIRE, "b");
	answer_rule("::ffff:10.77.0.3", 128, SRNIC_RULE_REQUIRE, "c");
	answer_rule("::ffff:10.77.1.0", 120, SRNIC_RULE_REQUIRE, "b");
	answer_key("b");
	answer_key("lab");
	shows("save", "# The kernel shows no secret: these files must have them\n"
	      "# peer b: srnicd makes the key\n"
	      "key replace lab --file /etc/srnic/lab.key\n"
	      "policy replace 10.77.0.0/24 require aead aes-gcm-128 key lab\n"
	      "# peer b: srnicd adds the rule\n"
	      "policy replace 10.77.0.3/32 require aead aes-gcm-128 key c\n"
	      "policy replace 10.77.1.0/24 require aead aes-gcm-128 key b\n");
	write_file("peers", "b\n", 2);
	kernel_reset();
	check(run("save") == CLI_REFUSED && one_line(err) && strstr(err, "line 1") && !*out,
	      "save needs to know the peers", NULL);
	unlink(file("peers"));
}

static void test_peer_keys(void)
{
	kernel_reset();
	check(run("peer add b --public-key " PUBLIC_KEY
		  " --address 10.77.0.2 --endpoint 192.0.2.2") == CLI_OK && !*out && !*err &&
	      kernel_cmd() == SRNIC_CMD_POLICY_ADD &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_RULE), SRNIC_RULE_REQUIRE) &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_MODE), SRNIC_MODE_AEAD) &&
	      attr_is_text(kernel_attr(SRNIC_A_POLICY_SUITE), "aes-gcm-128") &&
	      attr_is_text(kernel_attr(SRNIC_A_POLICY_KEY), "b") &&
	      !kernel_attr(SRNIC_A_POLICY_REPLACE), "peer add adds the rule", NULL);
	answer_key("b");
	shows("peer list",
	      "NAME  ADDRESS       ENDPOINT         SUITE        KEY  PUBLIC-KEY\n"
	      "b     10.77.0.2/32  192.0.2.2:14791  aes-gcm-128  yes  " PUBLIC_KEY "\n");
	shows("-j peer list",
	      "[{\"name\":\"b\",\"address\":\"10.77.0.2/32\",\"endpoint\":\"192.0.2.2:14791\","
	      "\"suite\":\"aes-gcm-128\",\"key_present\":true,\"public_key\":\"" PUBLIC_KEY
	      "\"}]\n");
	check(run("peer add b --public-key " PUBLIC_KEY " --address fd77::/64") == CLI_REFUSED &&
	      one_line(err) && strstr(err, "srnic peer del b") &&
	      kernel_cmd() == SRNIC_CMD_POLICY_DEL, "a second peer of that name", NULL);
	kernel_reset();
	answer_rule("::ffff:10.77.0.2", 128, SRNIC_RULE_REQUIRE, "b");
	check(run("peer del b") == CLI_OK && !*out && !*err && kernel.requests == 3 &&
	      kernel_cmd() == SRNIC_CMD_KEY_DEL &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "b"), "peer del", NULL);
	kernel_reset();
	check(run("peer del b") == CLI_REFUSED && one_line(err) && strstr(err, "no peer 'b'") &&
	      !kernel.requests, "there is no such peer any more", NULL);
	kernel.refusal = "there is a rule for this prefix";
	check(run("peer add b --public-key " PUBLIC_KEY
		  " --address 10.77.0.2 --endpoint [fd77::2]:5 --suite chacha20-poly1305") ==
	      CLI_REFUSED && strstr(err, "there is a rule") && kernel.requests == 1,
	      "a prefix that has a rule", NULL);
	shows("peer list", "");
	unlink(file("peers"));
}

int main(void)
{
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	atexit(remove_folder);
	puts("TAP version 13");
	test_wrong_lines();
	test_key_files();
	test_key_value();
	test_key_from_stdin();
	test_key_gen();
	test_key_gen_is_on_disk();
	test_key_generations();
	test_prefixes();
	test_policy_add();
	test_policy_suites();
	test_refusal();
	test_policy_list();
	test_key_list();
	test_policy_flush();
	test_devices();
	test_limits();
	test_pkeys();
	test_subnet();
	test_mtu();
	test_users();
	test_log();
	test_peers();
	test_peer_cut();
	test_genkey();
	test_genkey_folder();
	test_peer_keys();
	test_apply();
	test_save();
	test_save_with_peers();
	test_doctor();
	test_doctor_finds_providers();
	test_doctor_knows_peers();
	test_qps();
	test_suites();
	test_escapes();
	test_strange_answers();
	test_help();
	kernel_reset();
	free(out);
	free(err);
	printf("1..%u\n", tests);
	return failures != 0;
}
