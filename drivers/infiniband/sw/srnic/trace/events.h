/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints for sealed, opened and rejected packets, with the reason. They
 * never contain a key, a tag or a payload.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM srnic

#if !defined(SRNIC_TRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define SRNIC_TRACE_EVENTS_H

#include <linux/tracepoint.h>
#include "srnic.h"
#include "wire/wire.h"

#define SRNIC_TRACE_REASON_LEN	24	/* fits the longest name in stat_list.h */

/* A sealed or opened packet; @qpn is the local QP. */
DECLARE_EVENT_CLASS(srnic_seal,
		    TP_PROTO(const struct srnic_dev *dev, u32 qpn, const struct srnic_pkt *pkt),
		    TP_ARGS(dev, qpn, pkt),
		    TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
				     __field(u32, qpn)
				     __field(u32, psn)
				     __field(u16, len)
				     __field(u8, opcode)
				     __field(u8, sth_code)
		    ),
		    TP_fast_assign(memcpy(__entry->dev, dev->ib.name, IB_DEVICE_NAME_MAX);
				   __entry->qpn = qpn;
				   __entry->psn = pkt->psn;
				   __entry->len = pkt->payload_len;
				   __entry->opcode = pkt->opcode;
				   __entry->sth_code = pkt->sth_code;
		    ),
		    TP_printk("%s qp %u opcode 0x%02x psn 0x%06x, %u bytes, STH code %u",
			      __entry->dev, __entry->qpn, __entry->opcode, __entry->psn,
			      __entry->len, __entry->sth_code)
);

DEFINE_EVENT(srnic_seal, srnic_sealed,
	     TP_PROTO(const struct srnic_dev *dev, u32 qpn, const struct srnic_pkt *pkt),
	     TP_ARGS(dev, qpn, pkt)
);

DEFINE_EVENT(srnic_seal, srnic_opened,
	     TP_PROTO(const struct srnic_dev *dev, u32 qpn, const struct srnic_pkt *pkt),
	     TP_ARGS(dev, qpn, pkt)
);

/* A rejected packet. @gid: source address; @why: name of the counter. */
TRACE_EVENT(srnic_refused,
	    TP_PROTO(const struct srnic_dev *dev, const u8 *gid, u32 qpn, u8 opcode, u32 psn,
		     const char *why),
	    TP_ARGS(dev, gid, qpn, opcode, psn, why),
	    TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			     __array(u8, gid, 16)
			     __array(char, why, SRNIC_TRACE_REASON_LEN)
			     __field(u32, qpn)
			     __field(u32, psn)
			     __field(u8, opcode)
	    ),
	    TP_fast_assign(memcpy(__entry->dev, dev->ib.name, IB_DEVICE_NAME_MAX);
			   memcpy(__entry->gid, gid, sizeof(__entry->gid));
			   strscpy(__entry->why, why, SRNIC_TRACE_REASON_LEN);
			   __entry->qpn = qpn;
			   __entry->psn = psn;
			   __entry->opcode = opcode;
	    ),
	    TP_printk("%s %s: from %pI6c to qp %u, opcode 0x%02x psn 0x%06x",
		      __entry->dev, __entry->why, __entry->gid, __entry->qpn,
		      __entry->opcode, __entry->psn)
);

/* A rejected packet that could not be parsed */
TRACE_EVENT(srnic_refused_unread,
	    TP_PROTO(const struct srnic_dev *dev, const u8 *gid, const char *why),
	    TP_ARGS(dev, gid, why),
	    TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			     __array(u8, gid, 16)
			     __array(char, why, SRNIC_TRACE_REASON_LEN)
	    ),
	    TP_fast_assign(memcpy(__entry->dev, dev->ib.name, IB_DEVICE_NAME_MAX);
			   memcpy(__entry->gid, gid, sizeof(__entry->gid));
			   strscpy(__entry->why, why, SRNIC_TRACE_REASON_LEN);
	    ),
	    TP_printk("%s %s: from %pI6c", __entry->dev, __entry->why, __entry->gid)
);

#endif /* SRNIC_TRACE_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH trace
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
