// The runner as a program: it runs applications for whatever service comes to tell it, and ends when none has come for a
// while. Its folder is the working directory, because the path of a socket has at most 104 bytes.
import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { once } from '../../../functions/core/concurrency.ts';
import { reserveIn } from '../../files/disk-reserve.ts';
import { portOf } from '../../http/ports.ts';
import { doorServer } from '../../http/servers.ts';
import { reserveStablePorts } from '../../http/stable-ports.ts';
import { closeInheritedDescriptors } from '../../process/inherited-descriptors.ts';
import { ServicePorts } from '../door/service-ports.ts';
import { openRunner } from '../open.ts';
import { RUNNER_LIMITS } from '../settings.ts';
import { Attendance } from './attendance.ts';
import { HeldSockets } from './held-sockets.ts';
import { DOOR, portKey, predecessor } from './predecessor.ts';
import { type ProgramOptions, SOCKET } from './protocol.ts';
import { callServer } from './server.ts';
import type { Launch } from './spawn.ts';
import { startSuccessor } from './successor.ts';

closeInheritedDescriptors();
void main(JSON.parse(process.argv[2] ?? ''));

async function main(options: ProgramOptions): Promise<void> {
  const { version, ports, reserve, limits, lingerSeconds, held = [] } = options;
  const service = new ServicePorts(ports, { ...RUNNER_LIMITS, ...limits });
  const sockets = new HeldSockets(options, service);
  const before = predecessor();
  const own = { folder: '.', limits, own: process.env, reserve: reserveIn(reserve), predecessor: before };
  const opened = sockets.inherit(options).then(() => openRunner(own));
  let isReplaced = false;
  const end = once(async () => {
    await opened.then((runners) => runners.close()).catch(() => undefined);
    if (!isReplaced) await rm(SOCKET, { force: true });
    sockets.end();
    process.exit(0);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
  // The runner outlives the terminal in which the service was started.
  process.on('SIGHUP', () => {});
  const runners = await opened.catch((error: unknown) => {
    sockets.end();
    throw error;
  });
  before?.follow(runners.report);

  const door = doorServer(runners.door);
  runners.guard(door);
  const warnings: string[] = [];
  if (before) {
    for (const one of held) await service.adopt(one, (server) => before.take(portKey(one), server));
    await before.take(DOOR, door);
  } else if (!sockets.adopt(DOOR, door)) {
    const { platform: port } = await reserveStablePorts(ports, ['platform'], (sentence) => warnings.push(sentence));
    await port.handOver(door);
  }

  const lingerMs = lingerSeconds === null ? Number.POSITIVE_INFINITY : lingerSeconds * 1000;
  const attendance = new Attendance({ lingerMs, left: end });
  const replace = (launch: Launch) => {
    const { drainMs, waitMs } = { ...RUNNER_LIMITS, ...limits };
    const begun = () => {
      isReplaced = true;
      sockets.leave();
      attendance.leave();
    };
    return startSuccessor(launch, { runners, door, service, drainMs, waitMs, begun, ended: end });
  };
  const hello = { version, pid: process.pid, port: portOf(door), warnings, stays: lingerSeconds === null };
  const calls: Server = callServer({
    runners,
    listen: async (wanted) => {
      const answer = await service.listen(wanted);
      sockets.hold({ door, calls });
      return answer;
    },
    hello: () => ({ ...hello, held: service.held() }),
    attendance,
    replace,
    ended: end,
  });
  if (sockets.adopt(SOCKET, calls)) return;
  await rm(SOCKET, { force: true });
  calls.listen(SOCKET, () => void chmod(SOCKET, 0o600));
  if (before) sockets.hold({ door, calls });
}
