import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { expect, vi } from 'vitest';
import { logGroupOf, PLATFORM_STREAM } from '../../../functions/adapters/platform/aws-lambda/names.ts';
import { uploadOf } from '../../contracts/hosting-platform.ts';
import { filesOf, tarball } from '../../support/platform/embedded.ts';
import { type Deployed, type Item, loginOf } from './item.ts';

/** CloudWatch Logs has a line some seconds after it was written. */
const LATE_MS = 60_000;
const BUILD_MS = 10 * 60_000;

export const ownLog: Item = {
  title: 'An application may write its log',
  expected: 'the log of the sample has a stream beside `platform`, and `hooks logs` shows a line of it',
  answer: async (deployed) => {
    const { url, sample } = deployed;
    const at = `${url}/1/apps/${sample.user}/${sample.app}`;
    const headers = loginOf(deployed);
    const found = await fetch(at, { headers });
    expect(found.status, `there is no application ${sample.app}: .ci/deploy-sample <owner>/<repository>`).toBe(200);
    await fetch(((await found.json()) as { url: string }).url);
    const own = await vi.waitUntil(() => ownStream(deployed), { timeout: LATE_MS, interval: 2000 });
    const shown = async () => (await fetch(`${at}/logs?lines=100`, { headers })).text();
    await vi.waitUntil(async () => (await shown()).includes('GET /'), { timeout: LATE_MS, interval: 2000 });
    return `its line is in the stream ${own}`;
  },
};

export const wordsOfAnEnd: Item = {
  title: 'Lambda says how an application ended, in the words that are understood',
  expected: 'the reason has the code with which a server ended at its start, and what it printed',
  answer: async ({ platform, user, now }) => {
    const ref = { user, app: `checklist-${now()}`, snapshot: '1.0.0-1' };
    await platform.ensureApp(ref, { name: ref.app });
    await platform.upload(ref, uploadOf(await tarball(filesOf(ref.app, '1.0.0', 'does not start'))));
    await platform.activate(ref);
    const isBuilt = async () => (await platform.poll(ref)).state === 'ready';
    await vi.waitUntil(isBuilt, { timeout: BUILD_MS, interval: 1000 });
    const error = await platform.start(ref).catch((thrown) => thrown);
    expect(error.detail).toBe('The process exited with code 1 before it answered; its last line was: no database here');
    return error.detail;
  },
};

export const commands: Item = {
  title: 'A command runs in a function beside the application, of the same release and with the same log',
  expected: 'its output and its exit code come, also of one that was killed, and the log has a stream of it',
  answer: async (deployed) => {
    const { url, sample } = deployed;
    const at = `${url}/1/apps/${sample.user}/${sample.app}/runs`;
    const headers = { ...loginOf(deployed), 'content-type': 'application/json' };
    const said = async (...command: string[]) => {
      const started = await fetch(at, { method: 'POST', headers, body: JSON.stringify({ command }) });
      expect(started.status, await started.clone().text()).toBe(201);
      return (await fetch(`${at}/${((await started.json()) as { id: string }).id}`, { headers })).text();
    };
    const output = Buffer.from('well\n').toString('base64');
    const ended = await said('node', '-e', 'console.log("well"); process.exit(3)');
    expect(ended).toMatch(new RegExp(`"data":"${output}"[^]*"exit":3`));
    expect(await said('kill -9 $$')).toContain('"exit":137');
    const isOfCommands = (stream: string) => stream.includes('[$LATEST]');
    return vi.waitUntil(() => ownStream(deployed, isOfCommands), { timeout: LATE_MS, interval: 2000 });
  },
};

/** Returns the name of a stream that the application itself has written, or its commands. */
async function ownStream(
  { logs, functionOf, sample }: Deployed,
  isWanted = (stream: string) => stream !== PLATFORM_STREAM,
): Promise<string | undefined> {
  const group = { logGroupName: logGroupOf(functionOf(sample)) };
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, group)) {
    const own = events.find(({ logStreamName = '' }) => isWanted(logStreamName));
    if (own) return own.logStreamName;
  }
  return undefined;
}
