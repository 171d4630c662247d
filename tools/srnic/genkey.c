// SPDX-License-Identifier: GPL-2.0
/*
 * srnic genkey, srnic pubkey: the key pair that proves to peers who this host is (srnicd(8)).
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include "../srnicd/identity.h"
#include "../srnicd/path.h"
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

/*
 * srnicd runs as a user of its own, who must reach the file of peers: a folder that this makes
 * does not depend on the umask.
 */
static bool make_folder(const char *folder, struct why *why)
{
	if (mkdir(folder, 0755) ? errno == EEXIST : !chmod(folder, 0755))
		return true;
	return why_not(why, "cannot make the folder %.200s: %s", folder, strerror(errno));
}

int genkey_run(struct args *args)
{
	const char *dir = identity_folder();
	struct identity identity;
	char path[PATH_MAX];
	struct why why;
	int err = args_end(args);

	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 0);	/* keep the private key out of core dumps */
	if (make_folder(dir, &why) && path_join(path, dir, PRIVATE_FILE, &why) &&
	    identity_make(&identity, &why) && identity_write(path, &identity, &why))
		print_public(&identity);
	else
		err = cli_refused(args->where, "%s", why.text);
	identity_wipe(&identity);
	return err;
}

int pubkey_run(struct args *args)
{
	struct identity identity;
	char path[PATH_MAX];
	struct why why;
	int err = args_end(args);

	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 0);
	if (!path_join(path, identity_folder(), PRIVATE_FILE, &why) ||
	    !identity_read(path, false, &identity, &why))
		return cli_refused(args->where, "%s", why.text);
	print_public(&identity);
	identity_wipe(&identity);
	return CLI_OK;
}
