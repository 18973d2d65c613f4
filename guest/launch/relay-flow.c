#include "relay-flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
/* After the other, which it would define anew. */
#include <linux/netfilter_ipv4.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay-connect.h"

static void reset(int jail)
{
	setsockopt(jail, SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 }, sizeof(struct linger));
	close(jail);
}

bool flow_begin(struct flow *flow, int jail, const char *key)
{
	struct relay_header header = { .kind = RELAY_STREAM };
	struct sockaddr_in target;
	socklen_t length = sizeof target;
	/* Not where it arrived, but where it was to go. */
	bool is_known = getsockopt(jail, SOL_IP, SO_ORIGINAL_DST, &target, &length) == 0;
	memcpy(header.key, key, sizeof header.key);
	header.port = target.sin_port;
	header.address = target.sin_addr;
	int bridge = is_known ? relay_connect(&header) : -1;
	if (bridge < 0) {
		reset(jail);
		return false;
	}
	setsockopt(jail, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	flow->jail = jail;
	flow->bridge = bridge;
	for (int index = 0; index < 2; index++) {
		struct flow_way *way = index ? &flow->in : &flow->out;
		way->first = way->last = 0;
		way->has_ended = way->is_shut = false;
	}
	return true;
}

static bool is_empty(const struct flow_way *way)
{
	return way->first == way->last;
}

static short events(const struct flow_way *from, const struct flow_way *to)
{
	bool takes = is_empty(from) && !from->has_ended;
	return (short)((takes ? POLLIN : 0) | (is_empty(to) ? 0 : POLLOUT));
}

void flow_watch(const struct flow *flow, struct pollfd waits[2])
{
	short of_jail = events(&flow->out, &flow->in), of_bridge = events(&flow->in, &flow->out);
	/* Its end is told whether we ask or not, for as long as we do not take it. */
	waits[0] = (struct pollfd){ .fd = of_jail ? flow->jail : -1, .events = of_jail };
	/* That of the bridge is asked for, but while the jail has to take what came before. */
	bool is_held = !of_bridge && !is_empty(&flow->in);
	waits[1] = (struct pollfd){ .fd = is_held ? -1 : flow->bridge, .events = of_bridge };
}

static bool try_again(ssize_t count)
{
	return count < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Closed, and not just for writing: who has given up is not to be taken for who has said all. */
static bool is_closed(int bridge)
{
	struct pollfd end = { .fd = bridge };
	return poll(&end, 1, 0) > 0;
}

/* The next piece, where the one before has gone. False when that fails. */
static bool take(struct flow_way *way, int from)
{
	if (!is_empty(way) || way->has_ended)
		return true;
	ssize_t count = recv(from, way->bytes, sizeof way->bytes, 0);
	if (count < 0)
		return try_again(count);
	way->has_ended = count == 0;
	way->first = 0;
	way->last = (size_t)count;
	return true;
}

/* What there is of it, and the end after the last. False when that fails. */
static bool give(struct flow_way *way, int to)
{
	if (!is_empty(way)) {
		ssize_t count = send(to, way->bytes + way->first, way->last - way->first, MSG_NOSIGNAL);
		if (count < 0)
			return try_again(count);
		way->first += (size_t)count;
	}
	if (way->has_ended && is_empty(way) && !way->is_shut) {
		shutdown(to, SHUT_WR);
		way->is_shut = true;
	}
	return true;
}

bool flow_move(struct flow *flow, const struct pollfd waits[2])
{
	if (!waits[0].revents && !waits[1].revents)
		return true;
	bool works = take(&flow->out, flow->jail) && give(&flow->out, flow->bridge) && take(&flow->in, flow->bridge) &&
		     !(flow->in.has_ended && !flow->out.is_shut && is_closed(flow->bridge)) &&
		     give(&flow->in, flow->jail);
	if (!works) {
		reset(flow->jail);
		close(flow->bridge);
		return false;
	}
	if (!flow->out.is_shut || !flow->in.is_shut)
		return true;
	close(flow->jail);
	close(flow->bridge);
	return false;
}
