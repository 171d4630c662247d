// SPDX-License-Identifier: GPL-2.0
/*
 * srnic genkey, srnic pubkey: the key pair that proves to peers who this host is (srnicd(8)).
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include "../srnicd/identity.h"
#include "cli.h"
#include "json.h"

static void print_public(const struct identity *identity)
{
	char text[KEY_TEXT_LEN + 1];

	key_to_text(identity->public_key, text);
	if (!cli.json) {
		fprintf(cli.out, "%s\n", text);
		return;
	}
	json_open(NULL, '{');
	json_string("public_key", text);
	json_close();
}

static const char *private_path(char *path, size_t size)
{
	snprintf(path, size, "%s/" PRIVATE_FILE, identity_folder());
	return path;
}

int genkey_run(struct args *args)
{
	const char *dir = identity_folder();
	struct identity identity;
	char path[300];
	struct why why;
	int err = args_end(args);

	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 0);	/* keep the private key out of core dumps */
	if (mkdir(dir, 0755) && errno != EEXIST)
		return cli_refused(args->where, "cannot make the folder %s: %s", dir,
				   strerror(errno));
	if (identity_make(&identity, &why) &&
	    identity_write(private_path(path, sizeof(path)), &identity, &why))
		print_public(&identity);
	else
		err = cli_refused(args->where, "%s", why.text);
	identity_wipe(&identity);
	return err;
}

int pubkey_run(struct args *args)
{
	struct identity identity;
	char path[300];
	struct why why;
	int err = args_end(args);

	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 0);
	if (!identity_read(private_path(path, sizeof(path)), false, &identity, &why))
		return cli_refused(args->where, "%s", why.text);
	print_public(&identity);
	identity_wipe(&identity);
	return CLI_OK;
}
