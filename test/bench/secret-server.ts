// A fake of Secrets Manager, for functions that read a secret while they load.
import { once } from 'node:events';
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify({ SecretString: 'bench-bench-bench-bench' }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
console.log(JSON.stringify({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
