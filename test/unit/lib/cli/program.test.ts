import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../../../functions/core/apps/settings.ts';
import type { CommandDefinition } from '../../../../lib/cli/command.ts';
import { groups } from '../../../../lib/cli/commands.ts';
import type { CommandGroup } from '../../../../lib/cli/program/program.ts';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';
import { withGenerated } from '../../../support/documents/markdown.ts';
import { runInProcess } from '../../../support/run-program.ts';

/** Returns the generated part of the command line's README: the commands of each group. */
function cliDocs(groups: readonly CommandGroup[]): Readonly<Record<string, string>> {
  const list = ({ title, commands }: CommandGroup) => `- **${title}**: ${commands.map(named).join(', ')}`;
  return { commands: groups.map(list).join('\n') };
}

function named({ name, subcommands = [] }: CommandDefinition): string {
  const parts = subcommands.map((one) => one.name).join(', ');
  return parts === '' ? `\`${name}\`` : `\`${name}\` (${parts})`;
}

const login = (url: string) => ({ HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary' });

/** Every command as it is typed, with its definition. */
function typed(
  { commands }: { readonly commands: readonly CommandDefinition[] },
  parent = '',
): [string, CommandDefinition][] {
  return commands.flatMap((one): [string, CommandDefinition][] => {
    const name = `${parent} ${one.name}`.trim();
    return [[name, one], ...typed({ commands: one.subcommands ?? [] }, name)];
  });
}
const all = groups.flatMap((group) => typed(group));

describe('The help', () => {
  it.each(['', '--help', '-h', 'help'])('lists every command for "hooks %s", on standard output', async (args) => {
    const { code, out, err } = await cli(args);
    expect([code, err]).toEqual([0, '']);
    for (const { name, summary } of groups.flatMap(({ commands }) => commands)) {
      expect(out).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 20)}`, 'm'));
    }
  });

  it.each(all)('of "hooks %s" has examples', async (name, { examples, summary }) => {
    for (const args of [`${name} --help`, `${name} -h`]) {
      const { code, out, err } = await cli(args);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain(`Usage: hooks ${name}`);
      expect(out).toContain(summary);
      for (const [line] of examples) expect(out).toContain(line);
    }
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) expect(line).toContain('hooks ');
  });

  it('has a line for each row of a table', async () => {
    const { out } = await cli('set --help');
    for (const name of SETTING_NAMES) expect(out).toMatch(new RegExp(`^ *${name} {2,}\\S`, 'm'));
  });

  it.each(all)('of "hooks %s" has options that commander can read, each once', (_, { options = [] }) => {
    const flags = options.map((one) => one.flags.split(' ')[0]);
    expect(new Set(flags).size).toBe(flags.length);
  });

  it('is in the README, which has every command (vitest -u updates it)', async () => {
    const path = fileURLToPath(new URL('../../../../lib/cli/README.md', import.meta.url));
    await expect(withGenerated(readFileSync(path, 'utf8'), cliDocs(groups))).toMatchFileSnapshot(path);
  });

  it('names the version', async () => {
    expect(await cli('--version', { version: '7.8.9' })).toEqual({ code: 0, out: '7.8.9\n', err: '' });
  });
});

describe('Wrong arguments', () => {
  it.each([
    ['stauts', 'Did you mean status?'],
    ['status --limt 5', 'Did you mean --limit?'],
    ['status --limit 0', '--limit takes a number from 1 to 100.'],
    ['status --limit', 'argument missing'],
    ['status a b', 'Usage: hooks status'],
    ['tokens create', 'Usage: hooks tokens create'],
    ['completion bash', "unknown command 'completion'"],
  ])('"hooks %s" exits with 2 and says what is wrong on standard error', async (args, words) => {
    const { code, out, err } = await cli(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).toMatch(/--help/);
  });
});

describe('A failure', () => {
  it('of the service is one sentence with its code and where it is explained', async () => {
    const url = await server((_, response) => {
      response.writeHead(500, { 'content-type': 'application/problem+json' });
      response.end(
        '{"code":"status:db:query_fail","title":"The database failed.","detail":"The log could not be read."}',
      );
    });
    const { code, out, err } = await cli('status', { env: login(url) });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      `error: The log could not be read. (status:db:query_fail, explained at ${url}/errors#status:db:query_fail)\n`,
    );
  });

  it.each([
    ['text/html', 200, '<html>a login page</html>'],
    ['text/html', 502, '<html>Bad gateway</html>'],
    ['application/json', 200, '{"rows":1}'],
    ['application/json', 302, ''],
  ])('of something else than the service (%s, %i) is one sentence', async (type, status, body) => {
    const url = await server((_, response) => {
      response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:9/' }).end(body);
    });
    const { code, err } = await cli('status', { env: login(url) });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: [^\n]+\?\n$/);
  });

  it('to reach the service names its address and the reason', async () => {
    const { code, err } = await cli('status', { env: login(`http://127.0.0.1:${await closedPort()}`) });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: The service at http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\); [^\n]+\n$/,
    );
  });

  it('to use a file of another user says whose command it is', async () => {
    const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES', path: '/data/lock' });
    const run = async () => Promise.reject(denied);
    const commands = [{ name: 'look', summary: 'Look', examples: [['hooks look', '']] as const, run }];
    const { code, err } = await runInProcess('look', { groups: [{ title: 'One', commands }] });
    expect([code, err]).toEqual([1, 'error: /data/lock cannot be used by you: run this as the user of the service.\n']);
  });

  it('by Ctrl-C exits with 130, and by a closed output with 0, both without a word', async () => {
    const url = await server(() => {});
    for (const [reason, expected] of [
      [true, 130],
      ['closed', 0],
    ] as const) {
      const ended = await cli('status', { env: login(url), onOutput: () => reason, interruptAfterMs: 50 });
      expect(ended).toEqual({ code: expected, out: '', err: '' });
    }
  });
});

async function closedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}
