// The baseline of a webhook server that loses nothing: read, HMAC, write, fsync, respond. Argument: a folder.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const file = await open(join(process.argv[2] ?? '.', 'payloads'), 'a');
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const mac = createHmac('sha256', 'secret').update(body).digest('hex');
  await file.appendFile(body);
  await file.datasync();
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ mac }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
console.log(JSON.stringify({ url, pid: process.pid }));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
