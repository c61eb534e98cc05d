// The baseline of a publish/subscribe server: writes each line received on one port to all sockets of the other port,
// stores nothing, and responds when it has written.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const subscribers = new Set<Socket>();
const subscriptions = createServer({ noDelay: true }, (socket) => {
  subscribers.add(socket);
  socket.write('\n');
  socket.on('error', () => {}).once('close', () => subscribers.delete(socket));
});
const publications = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: unknown) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const bytes = Buffer.from(`${line}\n`);
      for (const subscriber of subscribers) subscriber.write(bytes);
      socket.write('published\n');
    }
  });
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const ready = { port: await listen(subscriptions), publish: await listen(publications), pid: process.pid };
console.log(JSON.stringify(ready));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
