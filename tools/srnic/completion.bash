# SPDX-License-Identifier: GPL-2.0
# bash completion for srnic(8)

# Names that the kernel has to tell: one column of a list, without its title
_srnic_names()
{
	srnic "${_srnic_options[@]}" "$@" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# The words before the one to complete, options apart
_srnic_split()
{
	local i
	_srnic_words=()
	_srnic_options=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-n | --netns)
			_srnic_options+=(-n "${COMP_WORDS[++i]}")
			;;
		--file | --raw | -)
			_srnic_words+=("${COMP_WORDS[i]}")
			;;
		-*) ;;
		*) _srnic_words+=("${COMP_WORDS[i]}") ;;
		esac
	done
}

_srnic_policy()
{
	local last=${_srnic_words[-1]}

	case $last in
	key) _srnic_names key list ;;
	prefer | require) echo header packet aead ;;
	header | packet)
		_srnic_names suite list | grep -E 'cmac|hmac|gmac'
		;;
	aead) _srnic_names suite list | grep -E 'gcm|poly1305' ;;
	del) _srnic_names policy list ;;
	add | replace) echo default ;;
	*)
		case ${#_srnic_words[@]} in
		3) [[ ${_srnic_words[1]} == del ]] || echo off prefer require ;;
		6) echo key ;;
		esac
		;;
	esac
}

_srnic_key()
{
	local verb=${_srnic_words[1]} count=${#_srnic_words[@]}

	case ${_srnic_words[-1]} in
	--file) compgen -f -- "$1" ;;
	del | replace) _srnic_names key list ;;
	*)
		[[ $verb != @(add|replace|gen) || $count -lt 3 ]] || echo --file --raw -
		;;
	esac
}

_srnic_quota()
{
	case ${#_srnic_words[@]} in
	2 | 3)
		[[ ${_srnic_words[-1]} == dev ]] || echo dev
		_srnic_names show
		;;
	*)
		[[ ${_srnic_words[1]} != set ]] ||
			srnic "${_srnic_options[@]}" quota show 2>/dev/null |
			awk 'NR > 1 { print $2 }' | sort -u
		;;
	esac
}

_srnic_candidates()
{
	local count=${#_srnic_words[@]}

	if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-n|--netns) ]]; then
		ip netns list 2>/dev/null | awk '{ print $1 }'
		return
	fi
	if [[ $1 == -* && ${_srnic_words[0]-} != key ]]; then
		echo --json --pretty --details --netns --help --version
		return
	fi
	case $count:${_srnic_words[0]-} in
	0:) echo show qp policy key quota suite help ;;
	1:help) echo show qp policy key quota suite ;;
	1:policy) echo list add replace del ;;
	1:key) echo list add replace gen del ;;
	1:quota) echo show set ;;
	1:suite) echo list ;;
	1:show | 1:qp)
		echo dev
		_srnic_names show
		;;
	2:show | 2:qp) _srnic_names show ;;
	*:policy) _srnic_policy ;;
	*:key) _srnic_key "$1" ;;
	*:quota) _srnic_quota ;;
	esac
}

_srnic()
{
	local _srnic_words _srnic_options current=${COMP_WORDS[COMP_CWORD]}

	_srnic_split
	mapfile -t COMPREPLY < <(compgen -W "$(_srnic_candidates "$current")" -- "$current")
}

complete -o default -F _srnic srnic
