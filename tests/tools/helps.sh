#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Start each command of the developers that takes options: it finds its modules, and says what it
# does. TAP on standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/tap.sh"

while IFS= read -r file; do
	[[ -x $file ]] || continue	# a module
	said=$("$file" --help 2>&1)
	# a bad start prints a trace
	[[ $said == usage:* ]] || echo "# ${said//$'\n'/$'\n# '}"
	[[ $said == usage:* ]]
	ok $? "${file#"$top/"} --help"
done < <(grep -rlI 'argparse.ArgumentParser(' "$top"/{kunit,scripts,tools/bench} | sort)
the_end
