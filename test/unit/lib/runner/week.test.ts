import { appendFile, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Processes } from '../../../../functions/api/shapes/processes.ts';
import { measure, Usage } from '../../../../lib/runner/usage.ts';
import { Week } from '../../../../lib/runner/week.ts';
import {
  appFiles,
  deploy,
  hello,
  type PlatformUnderTest,
  platform,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-01-01T10:00:00Z');

/** A week in a folder with a clock of its own, and what it has warned of. */
async function inFolder() {
  const folder = await temporaryFolder();
  const path = join(folder, 'usage.jsonl');
  const clock = { now: BEGIN };
  const failures: string[] = [];
  const week = () => new Week({ path, onFailure: ({ message }) => failures.push(message), now: () => clock.now });
  return { folder, path, clock, failures, week };
}

describe('the hours of an application', () => {
  it('have its requests, errors, the most memory, and the times in which half and 99 of 100 were answered', async () => {
    const { clock, week: begin } = await inFolder();
    const week = begin();
    for (let ms = 1; ms <= 1000; ms += 1) week.count(200, ms);
    week.count(500, 500);
    week.count(499);
    for (const bytes of [10, 30, 20]) week.hasMemory(bytes);
    clock.now += 2 * HOUR_MS;
    week.hasMemory(7);
    const [first, later, ...others] = await week.shown();
    expect(first).toMatchObject({ at: '2026-01-01T10:00:00.000Z', requests: 1002, errors: 1, memory: 30 });
    // Both are estimated within their ranges, of which the last one ends at 1153 ms.
    expect(first?.p50).toBeGreaterThan(450);
    expect(first?.p50).toBeLessThan(550);
    expect(first?.p99).toBeGreaterThan(950);
    expect(first?.p99).toBeLessThan(1153);
    const idle = { requests: 0, errors: 0, memory: 7, p50: null, p99: null };
    expect([later, others]).toEqual([{ at: '2026-01-01T12:00:00.000Z', ...idle }, []]);
  });

  it.each([
    [0, 1],
    [0.2, 1],
    [1, 1],
    [3_600_000, 49_518],
  ])('count an answer after %d ms within their ranges', async (ms, shown) => {
    const week = (await inFolder()).week();
    week.count(200, ms);
    const [hour] = await week.shown();
    expect(hour?.p99).toBeLessThanOrEqual(shown);
    expect(hour?.p99).toBeGreaterThan(shown / 2);
  });

  it('are written once they have ended, and read by the next runner, which goes on with an hour that has not', async () => {
    const { path, clock, failures, week: begin } = await inFolder();
    const week = begin();
    await week.write();
    week.count(200, 5);
    await week.write();
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    clock.now += HOUR_MS;
    await week.write();
    await week.write();
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    week.count(503, 5);
    // At a handover both count.
    const next = begin();
    next.count(200, 5);
    await week.write(true);
    const [first, second, ...others] = await next.shown();
    expect([first, second, others]).toMatchObject([{ requests: 1, errors: 0 }, { requests: 2, errors: 1 }, []]);
    await next.write(true);
    expect(await begin().shown()).toEqual([first, second]);
    expect(failures).toEqual([]);
  });

  it('are shown once while they are written', async () => {
    const week = (await inFolder()).week();
    week.count(200, 5);
    const shown = week.shown();
    await week.write(true);
    expect([await shown, await week.shown()]).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
  });

  it('are written where memory is measured, of each application that has something', async () => {
    const [used, unused] = [await inFolder(), await inFolder()];
    const all = [used, unused].map(({ week, clock }) => ({
      usage: new Usage(week(), () => clock.now),
      groups: () => [],
    }));
    all[0]?.usage.count(200, 5);
    all[0]?.usage.hasMemory(8);
    used.clock.now += HOUR_MS;
    await measure(all);
    expect(await used.week().shown()).toMatchObject([{ requests: 1, memory: 8 }]);
    await expect(stat(unused.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are those of seven days, in less than 100 kB, however often a runner is started', async () => {
    const { path, clock, failures, week: begin } = await inFolder();
    for (let hour = 0; hour < 200; hour += 1) {
      for (let start = 0; start < 5; start += 1) {
        const week = begin();
        week.hasMemory(8e9);
        for (let ms = 1; ms < 60_000; ms *= 1.6) week.count(200, ms);
        await week.write(true);
      }
      clock.now += HOUR_MS;
    }
    expect((await stat(path)).size).toBeLessThan(100_000);
    const shown = await begin().shown();
    expect([shown.length, shown[0]?.at, shown.at(-1)?.at]).toEqual([
      167,
      new Date(clock.now - 167 * HOUR_MS).toISOString(),
      new Date(clock.now - HOUR_MS).toISOString(),
    ]);
    expect(new Set(shown.map(({ requests }) => requests))).toEqual(new Set([5 * 24]));
    clock.now += 500 * HOUR_MS;
    expect(await begin().shown()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it.each([
    ['a line that was cut', '{"hour":49', 1],
    ['what is no line of it', '\0\0\n[]\n{"hour":1e999}\nnull', 1],
    ['nothing', '', 0],
    ['an hour that no date has', `{"hour":1e15,"requests":1,"errors":0,"memory":1,"times":[${'0,'.repeat(23)}0]}`, 0],
    ['much of no use', 'x\n'.repeat(100_000), 1],
  ])('are there without %s in the file, which is said once', async (_title, damage, warnings) => {
    const { path, clock, failures, week: begin } = await inFolder();
    const week = begin();
    week.count(200, 5);
    await week.write(true);
    await appendFile(path, `\n${damage}`);
    clock.now += HOUR_MS;
    week.count(200, 5);
    await week.write(true);
    for (const _ of [1, 2]) expect((await week.shown()).map(({ requests }) => requests)).toEqual([1, 1]);
    expect(failures).toHaveLength(warnings);
    expect((await stat(path)).size).toBeLessThan(100_000);
  });

  it('are lost while the disk is full, which is said once', async () => {
    const { path, clock, failures, week: begin } = await inFolder();
    await symlink('/dev/full', path);
    const week = begin();
    for (const _ of [1, 2]) {
      week.count(200, 5);
      await week.write(true);
    }
    expect(failures).toEqual([expect.stringContaining('ENOSPC')]);
    await rm(path);
    clock.now += HOUR_MS;
    week.count(200, 5);
    await week.write(true);
    expect(await begin().shown()).toMatchObject([{ requests: 1 }]);
  });

  it('are shown without those of a file that cannot be read', async () => {
    const { path, failures, week: begin } = await inFolder();
    await mkdir(path);
    const week = begin();
    week.count(200, 5);
    expect(await week.shown()).toMatchObject([{ requests: 1 }]);
    expect(failures).toEqual([expect.stringContaining('EISDIR')]);
  });

  it('are not written for an application whose folder is gone', async () => {
    const { folder, failures, week: begin } = await inFolder();
    const week = begin();
    week.count(200, 5);
    await rm(folder, { recursive: true });
    await week.write(true);
    expect(failures).toEqual([]);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const answers = `require('node:http').createServer((q, s) => {
  if (q.url === '/never') return s.writeHead(200).write('a');
  setTimeout(() => s.writeHead(Number(q.url.slice(1)) || 200).end(), 40);
}).listen(process.env.PORT, process.env.HOST);`;

const weekOf = async (at: PlatformUnderTest, app = hello) =>
  v.parse(Processes, await at.processes.list(app)).week ?? [];

const requestsOf = (week: readonly { readonly requests: number }[]) => week.reduce((sum, one) => sum + one.requests, 0);

describe('the week of an application', () => {
  it('has the times of its answers, survives a restart, and goes with its new name and its removal', async () => {
    const dataDir = await temporaryFolder();
    const first = await platform({ dataDir });
    const app = await deploy(first, 'hello', '1', appFiles('hello', answers));
    for (const path of ['', '500']) await fetch(`${app.url}/${path}`);
    const left = request(`${app.url}/never`).once('error', () => undefined);
    left.once('response', (answer) => answer.destroy()).end();
    await until('all are counted', async () => requestsOf(await weekOf(first)) === 3);
    const before = await weekOf(first);
    expect(before.reduce((sum, { errors }) => sum + errors, 0)).toBe(1);
    // The one that was left has no time, and what answers at once none that is shorter.
    expect(before.find(({ p50 }) => p50 !== null)?.p50).toBeGreaterThan(25);
    await first.close();
    const at = await platform({ dataDir });
    expect(requestsOf(await weekOf(at))).toBe(3);
    await at.operations.rename(hello, 'renamed');
    const renamed = { user: 'ada', app: 'renamed' };
    expect(requestsOf(await weekOf(at, renamed))).toBe(3);
    await at.operations.remove(renamed);
    await expect(stat(join(dataDir, 'apps/ada/renamed'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(join(dataDir, 'apps/ada/hello'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
