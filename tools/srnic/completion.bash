# SPDX-License-Identifier: GPL-2.0
# bash completion for srnic(8)

# Ask the kernel for names: print a column of a list, without its title
_srnic_names()
{
	srnic "${_srnic_options[@]}" "$@" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# List the suites that offer a mode
_srnic_suites()
{
	srnic "${_srnic_options[@]}" suite list 2>/dev/null |
		awk -v mode=",$1," 'NR > 1 && index("," $2 ",", mode) { print $1 }'
}

# Split the line before the current word into words, without options. Bash's own words
# would split IPv6 addresses at their colons.
_srnic_split()
{
	local i line
	read -ra line <<<"${COMP_LINE:0:COMP_POINT}"
	[[ $current ]] || line+=("")
	_srnic_words=()
	_srnic_options=()
	for ((i = 1; i < ${#line[@]} - 1; i++)); do
		case ${line[i]} in
		-n | --netns)
			_srnic_options+=(-n "${line[++i]}")
			;;
		--file | --raw | -)
			_srnic_words+=("${line[i]}")
			;;
		-*) ;;
		*) _srnic_words+=("${line[i]}") ;;
		esac
	done
	_srnic_before=${line[-2]}
}

_srnic_policy()
{
	local last=${_srnic_words[-1]}

	case $last in
	key) _srnic_names key list ;;
	prefer | require) echo header packet aead opaque ;;
	header | packet | aead | opaque) _srnic_suites "$last" ;;
	del) _srnic_names policy list ;;
	add | replace) echo default ;;
	*)
		case ${#_srnic_words[@]} in
		3) [[ ${_srnic_words[1]} != @(add|replace) ]] || echo off prefer require ;;
		6) echo key ;;
		8 | 9) echo clear-cm uncached ;;
		esac
		;;
	esac
}

_srnic_key()
{
	local verb=${_srnic_words[1]} count=${#_srnic_words[@]}

	case ${_srnic_words[-1]} in
	--file) compgen -f -- "$1" ;;
	del | replace | stage | promote | retire) _srnic_names key list ;;
	*)
		[[ $verb != @(add|replace|stage|gen) || $count -lt 3 ]] || echo --file --raw -
		;;
	esac
}

_srnic_quota()
{
	case ${#_srnic_words[@]}:${_srnic_words[-1]} in
	2:*)
		echo dev
		_srnic_names show
		;;
	3:dev) _srnic_names show ;;
	[34]:*)
		[[ ${_srnic_words[1]} != set || ${#_srnic_words[@]} == 4 &&
			${_srnic_words[2]} != dev ]] ||
			srnic "${_srnic_options[@]}" quota show 2>/dev/null |
			awk 'NR > 1 { print $2 }' | sort -u
		;;&
	[56]:*)
		[[ ${_srnic_words[1]} != set || ${_srnic_words[-1]} != +([0-9]) ]] || echo reserve
		;;
	esac
}

# Count the words after the verb, without "dev", in the caller's $given; before the first of
# them, list the devices
_srnic_device()
{
	given=$((${#_srnic_words[@]} - 2))
	[[ ${_srnic_words[2]-} != dev ]] || given=$((given - 1))
	((given == 0)) || return 0
	[[ ${_srnic_words[-1]} == dev ]] || echo dev
	_srnic_names show
}

# List what a command shows in its second column for the device that was just named
_srnic_of_device()
{
	srnic "${_srnic_options[@]}" "$@" 2>/dev/null |
		awk -v dev="${_srnic_words[-1]}" 'NR > 1 && $1 == dev { print $2 }'
}

_srnic_limit()
{
	local given
	_srnic_device
	case $given:${_srnic_words[1]} in
	1:set) echo idle faults cutoff greed ecn ;;
	2:set) echo none ;;
	esac
}

_srnic_pkey()
{
	local given
	_srnic_device
	[[ $given:${_srnic_words[1]} != 1:del ]] || _srnic_of_device pkey show
}

_srnic_subnet()
{
	local given
	_srnic_device
	case $given:${_srnic_words[1]} in
	1:add | 1:del) echo manager member ;;
	2:del) _srnic_of_device subnet show ;;
	esac
}

_srnic_mtu()
{
	local given
	_srnic_device
	[[ $given:${_srnic_words[1]} != 1:set ]] || echo 256 512 1024 2048 4096
}

_srnic_peer()
{
	local given
	_srnic_device
	case $given:${_srnic_words[1]} in
	1:cut | 1:allow) _srnic_of_device peer show ;;
	2:cut) echo seconds ;;
	esac
}

_srnic_peer_add()
{
	case $_srnic_before in
	--suite) _srnic_suites aead ;;
	--public-key | --address | --endpoint) ;;
	*) echo --public-key --address --endpoint --suite ;;
	esac
}

_srnic_candidates()
{
	local count=${#_srnic_words[@]}

	if [[ $_srnic_before == @(-n|--netns) ]]; then
		ip netns list 2>/dev/null | awk '{ print $1 }'
		return
	fi
	if [[ $1 == -* && ${_srnic_words[0]-} != key &&
		"${_srnic_words[*]:0:2}" != "peer add" ]]; then
		echo --json --pretty --details --netns --help --version
		return
	fi
	case $count:${_srnic_words[0]-} in
	0:) echo show qp policy key quota limit pkey subnet mtu suite log peer genkey pubkey apply save doctor help ;;
	1:help) echo show qp policy key quota limit pkey subnet mtu suite log peer genkey pubkey apply save doctor ;;
	1:policy) echo list add replace del flush ;;
	1:key) echo list add replace gen stage promote retire del ;;
	1:quota) echo show users set ;;
	1:limit) echo show set ;;
	1:pkey) echo show add del ;;
	1:subnet) echo show add del ;;
	1:mtu) echo show set ;;
	1:suite) echo list ;;
	1:log) echo show follow ;;
	1:peer) echo show cut allow add del list ;;
	1:show | 1:qp | 2:log)
		echo dev
		_srnic_names show
		;;
	2:show | 2:qp | 3:log) _srnic_names show ;;
	*:policy) _srnic_policy ;;
	*:key) _srnic_key "$1" ;;
	*:quota) _srnic_quota ;;
	*:limit) _srnic_limit ;;
	*:pkey) _srnic_pkey ;;
	*:subnet) _srnic_subnet ;;
	*:mtu) _srnic_mtu ;;
	2:peer)
		case ${_srnic_words[1]} in
		add | list) ;;
		del) _srnic_names peer list ;;
		*) _srnic_peer ;;
		esac
		;;
	*:peer)
		case ${_srnic_words[1]} in
		add) _srnic_peer_add ;;
		del | list) ;;
		*) _srnic_peer ;;
		esac
		;;
	esac
}

_srnic()
{
	local _srnic_words _srnic_options _srnic_before
	local current=${COMP_LINE:0:COMP_POINT}

	current=${current##*[[:space:]]}
	_srnic_split
	mapfile -t COMPREPLY < <(compgen -W "$(_srnic_candidates "$current")" -- "$current")
	# readline replaces only what follows the last colon
	if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
	fi
}

complete -o default -F _srnic srnic
