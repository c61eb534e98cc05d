import type { Version } from '../serving/versions.ts';

const SERVER = `
const bodies = { '/1k': Buffer.alloc(1024, 'a'), '/100k': Buffer.alloc(102400, 'a') };
const server = require('node:http').createServer((request, response) => {
  if (request.method === 'GET') return response.end(bodies[request.url] ?? 'up');
  let bytes = 0;
  request.on('data', (chunk) => { bytes += chunk.length; }).on('end', () => response.end(String(bytes)));
});
server.on('upgrade', (_, socket) => {
  socket.setNoDelay(true).on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
  socket.pipe(socket);
});
server.listen(process.env.PORT, process.env.HOST);
`;

const manifest = { name: 'visited', version: '1.0.0' };
const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: {} };

/** Answers with 1 kB or 100 kB, counts what is uploaded, and sends back what comes on a WebSocket. */
export const visited: Version = {
  text: 'up',
  files: {
    'package.json': JSON.stringify({ ...manifest, scripts: { start: 'node server.js' } }),
    'package-lock.json': JSON.stringify(lock),
    'server.js': SERVER,
  },
};
