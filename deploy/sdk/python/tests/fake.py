"""A fake central: it answers with what a test has queued, and remembers what came."""

import http.server
import json
import os
import socket
import threading
import time

from galla import envelope

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
DROP = "drop"  # reads the request and closes the connection
CUT = "cut"  # answers, and closes the connection within the body
TOKEN = {"access_token": "token-1", "token_type": "Bearer", "expires_in": 900}


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body

    def json(self):
        return json.loads(self.body)


class Fake:
    """Queue replies: DROP, or (status, object or bytes, headers). The token route answers by itself."""

    def __init__(self, gateway=False, spoil=None):
        self.requests, self.tokens, self.replies, self.gateway, self.spoil = [], [], [], gateway, spoil
        self.token_replies = []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                if self.path == "/oauth/token":
                    fake.tokens.append(request)
                    self.answer(*(fake.token_replies.pop(0) if fake.token_replies else (200, {**TOKEN, "access_token": f"token-{len(fake.tokens)}"}, {})))
                    return
                fake.requests.append(request)
                reply = fake.replies.pop(0) if fake.replies else (500, {"statusCode": "500", "message": "nothing is queued"}, {})
                if reply == CUT:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"statusCode\"")
                if reply in (DROP, CUT):
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                status, text, headers = reply
                if fake.gateway and "plain" not in headers:
                    text, headers = fake.seal(request, status, text, headers)
                self.answer(status, text, {k: v for k, v in headers.items() if k != "plain"})

            def answer(self, status, text, headers):
                raw = text if isinstance(text, bytes) else json.dumps(text).encode()
                self.send_response(status)
                for name, value in {"X-Request-Id": "request-1", **headers, "Content-Length": str(len(raw))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.005,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def queue(self, *replies):
        for reply in replies:
            self.replies.append(reply if reply in (DROP, CUT) else (*reply, {})[:3])

    def open(self, n):
        """The opened JSON of a sealed request; its checksum must be right."""
        r = self.requests[n]
        m = {"client_id": r.headers["x-client-id"], "timestamp": r.headers["x-timestamp"], "request_id": r.headers["x-request-id"],
             "iv": r.headers["x-iv"], "tag": r.headers["x-tag"], "payload": r.json()["payload"]}
        key = envelope.parse_key(KEY)
        assert envelope.checksum(key, envelope.request_lines(r.method, r.path, m)) == r.headers["x-checksum"]
        return envelope.decrypt(key, m)

    def seal(self, request, status, text, headers):
        key = envelope.parse_key(KEY)
        m = {"request_id": request.headers["x-request-id"], "timestamp": str(int(time.time() * 1000)),
             **envelope.encrypt(key, os.urandom(12), json.dumps(text))}
        if self.spoil:
            self.spoil(m)
        m["checksum"] = envelope.checksum(key, envelope.reply_lines(status, m)) if "checksum" not in m else m["checksum"]
        names = {"X-Request-Id": "request_id", "X-Timestamp": "timestamp", "X-IV": "iv", "X-Tag": "tag", "X-Checksum": "checksum"}
        return {"payload": m["payload"]}, {**headers, **{name: m[part] for name, part in names.items()}}
