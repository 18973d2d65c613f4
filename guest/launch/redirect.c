#include "redirect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
/* After the other, which it would define anew. */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>

#include "netlink.h"

/* The first interface of every network namespace. */
#define LOOPBACK_INDEX 1
#define TABLE "coppice"
#define CHAIN "out"
/* nftables(8): before routing, as all that changes the destination. */
#define DESTINATION_NAT_PRIORITY -100
/* Offsets in the headers of IPv4 (RFC 791) and UDP (RFC 768). */
#define DESTINATION_ADDRESS 16
#define DESTINATION_PORT 2
#define DNS_PORT 53
#define NFT_MESSAGE(type) (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | (type))

/* ip route add local default dev lo */
static void take_all_addresses(void)
{
	struct netlink_request request = { 0 };
	const struct rtmsg route = {
		.rtm_family = AF_INET,
		.rtm_table = RT_TABLE_LOCAL,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = RT_SCOPE_HOST,
		.rtm_type = RTN_LOCAL,
	};
	const uint32_t index = LOOPBACK_INDEX;
	netlink_begin(&request, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_ACK, &route, sizeof route);
	netlink_put(&request, RTA_OIF, &index, sizeof index);
	netlink_ask(&request, NETLINK_ROUTE, "a route for all addresses");
}

static void begin(struct netlink_request *request, uint16_t type, uint16_t flags)
{
	const struct nfgenmsg head = { .nfgen_family = NFPROTO_IPV4, .version = NFNETLINK_V0 };
	netlink_begin(request, type, flags, &head, sizeof head);
}

static void mark(struct netlink_request *request, uint16_t type)
{
	const struct nfgenmsg head = { .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES) };
	netlink_begin(request, type, 0, &head, sizeof head);
}

static void put_data(struct netlink_request *request, uint16_t type, const void *value, size_t size)
{
	size_t data = netlink_open(request, type);
	netlink_put(request, NFTA_DATA_VALUE, value, size);
	netlink_close(request, data);
}

struct expression {
	size_t element;
	size_t data;
};

static struct expression open_expression(struct netlink_request *request, const char *name)
{
	struct expression opened = { .element = netlink_open(request, NFTA_LIST_ELEM) };
	netlink_put_text(request, NFTA_EXPR_NAME, name);
	opened.data = netlink_open(request, NFTA_EXPR_DATA);
	return opened;
}

static void close_expression(struct netlink_request *request, struct expression opened)
{
	netlink_close(request, opened.data);
	netlink_close(request, opened.element);
}

/* What follows is for what has (`NFT_CMP_EQ`), or has not, this value in the register. */
static void only(struct netlink_request *request, enum nft_cmp_ops how, const void *value, size_t size)
{
	struct expression compare = open_expression(request, "cmp");
	netlink_put_big(request, NFTA_CMP_SREG, NFT_REG_1);
	netlink_put_big(request, NFTA_CMP_OP, how);
	put_data(request, NFTA_CMP_DATA, value, size);
	close_expression(request, compare);
}

static void load_header(struct netlink_request *request, enum nft_payload_bases base, uint32_t offset, uint32_t size)
{
	struct expression load = open_expression(request, "payload");
	netlink_put_big(request, NFTA_PAYLOAD_DREG, NFT_REG_1);
	netlink_put_big(request, NFTA_PAYLOAD_BASE, base);
	netlink_put_big(request, NFTA_PAYLOAD_OFFSET, offset);
	netlink_put_big(request, NFTA_PAYLOAD_LEN, size);
	close_expression(request, load);
}

static size_t begin_rule(struct netlink_request *request, uint16_t flags, uint8_t protocol)
{
	begin(request, NFT_MESSAGE(NFT_MSG_NEWRULE), NLM_F_CREATE | NLM_F_APPEND | flags);
	netlink_put_text(request, NFTA_RULE_TABLE, TABLE);
	netlink_put_text(request, NFTA_RULE_CHAIN, CHAIN);
	size_t expressions = netlink_open(request, NFTA_RULE_EXPRESSIONS);
	struct expression load = open_expression(request, "meta");
	netlink_put_big(request, NFTA_META_DREG, NFT_REG_1);
	netlink_put_big(request, NFTA_META_KEY, NFT_META_L4PROTO);
	close_expression(request, load);
	only(request, NFT_CMP_EQ, &protocol, sizeof protocol);
	return expressions;
}

static void end_rule(struct netlink_request *request, size_t expressions)
{
	const uint16_t port = htons(RELAY_PORT);
	struct expression load = open_expression(request, "immediate");
	netlink_put_big(request, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_data(request, NFTA_IMMEDIATE_DATA, &port, sizeof port);
	close_expression(request, load);
	struct expression redirect = open_expression(request, "redir");
	netlink_put_big(request, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
	close_expression(request, redirect);
	netlink_close(request, expressions);
}

static void put_chain(struct netlink_request *request)
{
	begin(request, NFT_MESSAGE(NFT_MSG_NEWTABLE), NLM_F_CREATE);
	netlink_put_text(request, NFTA_TABLE_NAME, TABLE);
	begin(request, NFT_MESSAGE(NFT_MSG_NEWCHAIN), NLM_F_CREATE);
	netlink_put_text(request, NFTA_CHAIN_TABLE, TABLE);
	netlink_put_text(request, NFTA_CHAIN_NAME, CHAIN);
	size_t hook = netlink_open(request, NFTA_CHAIN_HOOK);
	netlink_put_big(request, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
	netlink_put_big(request, NFTA_HOOK_PRIORITY, (uint32_t)DESTINATION_NAT_PRIORITY);
	netlink_close(request, hook);
	netlink_put_text(request, NFTA_CHAIN_TYPE, "nat");
}

/* The rules of nft: "ip daddr != 127.0.0.0/8 tcp redirect to :PORT" and "udp dport 53 redirect to :PORT". */
static void redirect_protocols(void)
{
	struct netlink_request request = { 0 };
	const uint8_t loopback = IN_LOOPBACKNET;
	const uint16_t dns = htons(DNS_PORT);
	mark(&request, NFNL_MSG_BATCH_BEGIN);
	put_chain(&request);
	size_t rule = begin_rule(&request, 0, IPPROTO_TCP);
	load_header(&request, NFT_PAYLOAD_NETWORK_HEADER, DESTINATION_ADDRESS, sizeof loopback);
	only(&request, NFT_CMP_NEQ, &loopback, sizeof loopback);
	end_rule(&request, rule);
	rule = begin_rule(&request, NLM_F_ACK, IPPROTO_UDP);
	load_header(&request, NFT_PAYLOAD_TRANSPORT_HEADER, DESTINATION_PORT, sizeof dns);
	only(&request, NFT_CMP_EQ, &dns, sizeof dns);
	end_rule(&request, rule);
	mark(&request, NFNL_MSG_BATCH_END);
	netlink_ask(&request, NETLINK_NETFILTER, "rules of nf_tables");
}

void redirect_all(void)
{
	take_all_addresses();
	redirect_protocols();
}
