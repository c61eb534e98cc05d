import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

/** Notes in `notes/all` what is asked for, and answers with all of it. */
const notes = (version: string): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'notes', version }),
  'server.js': `const { appendFileSync, mkdirSync, readFileSync } = require('node:fs');
require('node:http').createServer((q, s) => {
  mkdirSync('notes', { recursive: true });
  appendFileSync('notes/all', q.url);
  s.end('${version} ' + readFileSync('notes/all'));
}).listen(process.env.PORT, process.env.HOST);\n`,
});

describe('what an application writes', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;

  const page = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  let port = 0;

  beforeAll(async () => {
    started = await startForTest('kept');
    const { repoHost } = started.service;
    await repoHost.createRepository('demo', 'notes');
    tree = gitFolder(repoHost.repositoryPath('demo', 'notes'));
  });
  afterAll(async () => {
    await started?.close();
  });

  it('is named in the push, and in the row and the document of the entry, when it ends with its release', async () => {
    tree.commit(notes('1.0.0'));
    const first = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(first).toMatchObject({ status: 'ok', reason: null });
    port = Number(new URL(first.url).port);
    expect(await page('/a')).toMatch(/^1\.0\.0 /);

    tree.commit(notes('1.0.1'));
    const printed = await tree.pushAndWatch();

    const loss = 'The release before wrote notes/all, which ends with it: "hooks set keep=notes" keeps it.';
    expect(printed).toContain(loss);
    expect(await started.until(entryAddress(printed), 'ok')).toMatchObject({
      reason: null,
      warning: loss,
      doc: { warning: loss },
    });
  });
});
