#include "exec-request.h"

bool exec_request_parse(const struct frame *frame, struct exec_request *request)
{
	static const char *arguments[EXEC_TEXTS_MAX];
	static const char *environment[EXEC_TEXTS_MAX];

	struct body body = body_of(frame);
	*request = (struct exec_request){ .arguments = arguments, .environment = environment };
	request->flags = body_u8(&body) & (EXEC_PTY | EXEC_STDIN | EXEC_ROOT | EXEC_STATUS);
	request->columns = body_u16(&body);
	request->rows = body_u16(&body);
	request->window = body_u32(&body);
	request->directory = body_text(&body);
	size_t count = body_text_list(&body, arguments, EXEC_TEXTS_MAX);
	body_text_list(&body, environment, EXEC_TEXTS_MAX);
	return body_done(&body) && count > 0;
}

bool connect_request_parse(const struct frame *frame, struct exec_request *request)
{
	struct body body = body_of(frame);
	*request = (struct exec_request){ .flags = EXEC_STDIN | EXEC_CONNECT };
	request->port = body_u16(&body);
	request->window = body_u32(&body);
	return body_done(&body) && request->port > 0;
}
