/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the generic netlink of kernel versions, see compat.h. Kbuild includes it
 * before control/nl.c, which is generated and includes nothing of ours.
 */
#ifndef SRNIC_CONTROL_COMPAT_GENL_H
#define SRNIC_CONTROL_COMPAT_GENL_H

#include <net/genetlink.h>
#include <net/sock.h>

/*
 * 6.1: a command has one entry for all of its operations. Ours have one operation each, so the
 * entries differ in their names only.
 */
#ifndef SRNIC_HAVE_GENL_SPLIT
#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops
#endif

/* 6.1: messages must be constants. */
#ifndef NL_SET_ERR_MSG_ATTR_FMT
#define SRNIC_UNFORMATTED	"refused: this name or value is unknown, too many or out of range"
#define NL_SET_ERR_MSG_ATTR_FMT(extack, attr, fmt, ...)					\
	do {										\
		no_printk(fmt, ##__VA_ARGS__);						\
		NL_SET_ERR_MSG_ATTR(extack, attr, SRNIC_UNFORMATTED);			\
	} while (0)
#define GENL_SET_ERR_MSG_FMT(info, fmt, ...)						\
	do {										\
		no_printk(fmt, ##__VA_ARGS__);						\
		GENL_SET_ERR_MSG(info, SRNIC_UNFORMATTED);				\
	} while (0)
#endif

/* 6.1: no integers of four or eight bytes */
#ifndef SRNIC_HAVE_NLA_UINT
static inline int nla_put_uint(struct sk_buff *skb, int type, u64 value)
{
	return value <= U32_MAX ? nla_put_u32(skb, type, value) :
				  nla_put(skb, type, sizeof(value), &value);
}
#endif

/* 6.1: a dump has no struct genl_info, which other requests have. */
#ifndef SRNIC_HAVE_GENL_INFO_DUMP
static inline struct genl_info *srnic_genl_info_of(struct genl_info *info,
						   struct netlink_callback *cb)
{
	info->snd_seq = cb->nlh->nlmsg_seq;
	info->snd_portid = NETLINK_CB(cb->skb).portid;
	info->nlhdr = (struct nlmsghdr *)cb->nlh;
	info->genlhdr = nlmsg_data(cb->nlh);
	info->attrs = genl_dumpit_info(cb)->attrs;
	info->extack = cb->extack;
	genl_info_net_set(info, sock_net(cb->skb->sk));
	return info;
}

/* exists until the end of the block around it */
#define genl_info_dump(cb)	srnic_genl_info_of(&(struct genl_info){}, cb)
#define genl_info_net(info)	read_pnet(&(info)->_net)

extern struct genl_family srnic_nl_family;

static inline void *genlmsg_iput(struct sk_buff *skb, const struct genl_info *info)
{
	return genlmsg_put(skb, info->snd_portid, info->snd_seq, &srnic_nl_family, 0,
			   info->genlhdr->cmd);
}
#endif

#endif /* SRNIC_CONTROL_COMPAT_GENL_H */
