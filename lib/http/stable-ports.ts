import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { readState, writeState } from '../files/state-file.ts';
import { isTaken, type ReservedPort, reservePort } from './ports.ts';

const PORT_TRIES = 5;
const RETRY_AFTER_MS = 100;

const schema = v.record(v.string(), v.number());

type ReservedPorts<Name extends string> = Readonly<Record<Name, ReservedPort>>;

/**
 * Reserves a port for each name: the one of the last start, which `file` holds, unless another program has it. So
 * the addresses stay the same. `warn` gets a sentence for each that changes.
 */
export async function reserveStablePorts<Name extends string>(
  file: string,
  names: readonly Name[],
  warn: (sentence: string) => void = () => {},
): Promise<ReservedPorts<Name>> {
  // Without a readable file all ports are new.
  const former = (await readState(file, schema).catch(() => undefined)) ?? {};
  const reserved: [Name, ReservedPort][] = [];
  try {
    for (const name of names) {
      const port = await reserveOr(former[name] ?? 0);
      reserved.push([name, port]);
      if (former[name] !== undefined && former[name] !== port.port) {
        warn(`Port ${former[name]} (${name}) is taken by another program; from now on it is port ${port.port}.`);
      }
    }
    // Another thread has those of other names.
    const ports = { ...former, ...Object.fromEntries(reserved.map(([name, { port }]) => [name, port])) };
    if (names.some((name) => former[name] !== ports[name])) await writeState(file, ports);
  } catch (error) {
    await releaseAll(reserved.map(([, port]) => port));
    throw error;
  }
  return Object.fromEntries(reserved) as Record<Name, ReservedPort>;
}

/** Releases the ports on which no server listens. */
export async function releaseAll(ports: readonly ReservedPort[]): Promise<void> {
  await Promise.all(ports.map((port) => port.release()));
}

/** A port may be taken for a moment, by a connection or by the end of the last start. */
async function reserveOr(port: number, tries = PORT_TRIES): Promise<ReservedPort> {
  try {
    return await reservePort(port);
  } catch (error) {
    if (!isTaken(error) && !(error instanceof RangeError)) throw error;
    if (tries === 1 || !isTaken(error)) return reservePort(0);
    await pause(RETRY_AFTER_MS);
    return reserveOr(port, tries - 1);
  }
}
