import * as v from 'valibot';
import { isTaken, type ReservedPort, reservePort } from './ports.ts';
import { readState, writeState } from './state-file.ts';

const schema = v.record(v.string(), v.number());

/** Reserved ports by name. */
export type ReservedPorts<Name extends string> = Readonly<Record<Name, ReservedPort>>;

/**
 * Reserves a port for each name: the one of the last start, which `file` holds, unless another program has it. So
 * the addresses stay the same.
 */
export async function reserveStablePorts<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<ReservedPorts<Name>> {
  // Without a readable file all ports are new.
  const known = (await readState(file, schema).catch(() => undefined)) ?? {};
  const reserved: [Name, ReservedPort][] = [];
  try {
    for (const name of names) reserved.push([name, await reserveOr(known[name] ?? 0)]);
    await writeState(file, Object.fromEntries(reserved.map(([name, { port }]) => [name, port])));
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

async function reserveOr(port: number): Promise<ReservedPort> {
  try {
    return await reservePort(port);
  } catch (error) {
    if (!isTaken(error) && !(error instanceof RangeError)) throw error;
    return reservePort(0);
  }
}
