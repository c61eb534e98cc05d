import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { medians } from '../rounds.ts';
import type { BenchRow } from '../row.ts';
import { emptyFolder, startService } from '../service.ts';
import { firstPush } from '../serving/first-push.ts';
import { ratioOf } from '../statistics.ts';
import { visited } from './application.ts';
import { asked, messages, uploaded, type Way } from './loads.ts';
import { isInstalled, type Peer, startApplication, startCaddy, startNginx } from './peers.ts';

const CONNECTIONS = [1, 64];
const PATHS = { '1 kB': '/1k', '100 kB': '/100k' };
/** The least parts of what a peer does. */
const OF_CADDY = 1.3;
const BEHIND_CADDY = 0.8;
const OF_NGINX = 0.9;

type Ways = Readonly<Record<string, Way>>;

/**
 * Measures the ways of a request to an application: by its own port, by its name at the door of applications, behind Caddy as
 * `hooks server` configures it, and by its name at the service, beside Caddy and nginx before the same program. Peers that are
 * not installed are left out.
 */
export async function run(): Promise<readonly BenchRow[]> {
  if (!isInstalled('wrk')) throw new Error('The benchmark of the door needs wrk (apt-get install wrk).');
  const folder = emptyFolder('door');
  const peers: Peer[] = [];
  const started = async (peer: Promise<Peer>) => {
    peers.push(await peer);
    return peer;
  };
  const service = await startService('door-service');
  const app = await firstPush(service, 'visited', visited);
  try {
    const { url } = await started(startApplication(folder));
    const host = `visited.${service.user}.localhost:${new URL(service.url).port}`;
    const door = doorOf(service.dataDir);
    const ways: Record<string, Way> = {
      direct: { url },
      own: { url: app.url },
      door: { url: door, host },
      service: { url: service.url, host },
    };
    if (isInstalled('caddy')) {
      ways.caddy = await started(startCaddy(folder, url));
      const before = await started(startCaddy(folder, door));
      ways['behind Caddy'] = { url: before.url, host };
    }
    if (isInstalled('nginx')) ways.nginx = await started(startNginx(folder, url));
    return await rows(ways);
  } finally {
    for (const peer of peers) await peer.close();
    app.tree.remove();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns where all applications are found by their names. */
function doorOf(dataDir: string): string {
  const { platform } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'));
  return `http://127.0.0.1:${platform}`;
}

async function rows(ways: Ways): Promise<BenchRow[]> {
  const all: BenchRow[] = [];
  for (const [size, path] of Object.entries(PATHS)) {
    for (const connections of CONNECTIONS) {
      const found = await ofEach(ways, (way) => asked(way, path, connections));
      all.push(...requestRows(`${size}, ${connections} connection${connections > 1 ? 's' : ''}`, found));
    }
  }
  const uploads = await ofEach(ways, async (way) => ({ perSecond: await uploaded(way) }));
  all.push(...otherRows('uploads of 10 MB, MB a second', uploads, { peer: 'nginx', least: OF_NGINX }));
  const sockets = await ofEach(ways, async (way) => ({ perSecond: await messages(way) }));
  all.push(...otherRows('WebSocket messages a second', sockets, { peer: 'caddy', least: 1 }));
  return all;
}

type Found = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Measures the ways in turns, and returns the median of each figure of each. */
async function ofEach(ways: Ways, measure: (way: Way) => Promise<Record<string, number>>): Promise<Found> {
  const figures = await medians(async () => {
    const round: Record<string, number> = {};
    for (const [name, way] of Object.entries(ways)) {
      for (const [figure, value] of Object.entries(await measure(way))) round[`${name}|${figure}`] = value;
    }
    return round;
  });
  const found: Record<string, Record<string, number>> = {};
  for (const [key, value] of Object.entries(figures)) {
    const [name = '', figure = ''] = key.split('|');
    found[name] = { ...found[name], [figure]: value };
  }
  return found;
}

function requestRows(figure: string, found: Found): BenchRow[] {
  return Object.entries(found).map(([name, { perSecond = 0, p99 = 0 }]) => {
    const { perSecond: base, p99: base99 = 0 } = found.caddy ?? {};
    const least = { own: OF_CADDY, door: OF_CADDY, 'behind Caddy': BEHIND_CADDY }[name];
    const ratio = base === undefined ? undefined : ratioOf(perSecond, base);
    const isFast = name === 'behind Caddy' || p99 <= base99;
    return {
      figure: `${figure}: ${name}`,
      value: `${Math.round(perSecond)}/s`,
      baseline: `p99 ${p99.toFixed(1)} ms`,
      ...(ratio !== undefined && { ratio }),
      target: least === undefined ? 'for information' : `≥ ${least} × Caddy, p99`,
      reached: least === undefined || ratio === undefined || (ratio >= least && isFast),
    };
  });
}

function otherRows(figure: string, found: Found, { peer, least }: { peer: string; least: number }): BenchRow[] {
  const base = found[peer]?.perSecond;
  return Object.entries(found).map(([name, { perSecond = 0 }]) => {
    const ratio = base === undefined ? undefined : ratioOf(perSecond, base);
    const isOwn = name === 'own';
    return {
      figure: `${figure}: ${name}`,
      value: String(Math.round(perSecond)),
      baseline: peer,
      ...(ratio !== undefined && { ratio }),
      target: isOwn ? `≥ ${least} × ${peer}` : 'for information',
      reached: !isOwn || ratio === undefined || ratio >= least,
    };
  });
}
