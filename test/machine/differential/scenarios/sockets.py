"""Unix sockets, which live in the tree as names only."""

import os
import socket


def a_socket_is_bound_used_and_removed(t):
    server = socket.socket(socket.AF_UNIX)
    client = socket.socket(socket.AF_UNIX)
    t.do(server.bind, 'socket')
    t.stat('socket')
    t.do(server.bind, 'socket')
    server.listen(1)
    t.do(client.connect, 'socket')
    peer, _ = server.accept()
    t.do(client.send, b'hello')
    t.do(peer.recv, 10)
    t.do(os.open, 'socket', os.O_RDWR)
    t.do(os.unlink, 'socket')
    t.do(socket.socket(socket.AF_UNIX).connect, 'socket')
