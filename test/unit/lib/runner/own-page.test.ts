import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../../../lib/http/ports.ts';
import { refuse } from '../../../../lib/http/refusal.ts';
import type { ReleaseSpec } from '../../../../lib/runner/calls.ts';
import { ownPage } from '../../../../lib/runner/door/own-page.ts';
import { newFolder } from '../../../support/new-folder.ts';

const folder = newFolder('own-page');
const release = (snapshot: string) => ({ snapshot, folder: join(folder, snapshot) }) as ReleaseSpec;
const pageOf = (snapshot: string, make: (file: string, inFolder: string) => void) => {
  const { folder: inFolder } = release(snapshot);
  mkdirSync(inFolder, { recursive: true });
  make(join(inFolder, '503.html'), inFolder);
  return ownPage(() => release(snapshot))()?.toString();
};

it('the page of an application is the file 503.html of its release, no link, and no larger one', () => {
  writeFileSync(join(folder, 'secret'), 'secret');
  expect(pageOf('has', (file) => writeFileSync(file, '<p>Back soon'))).toBe('<p>Back soon');
  expect(pageOf('none', () => {})).toBeUndefined();
  expect(pageOf('link', (file) => symlinkSync(join(folder, 'secret'), file))).toBeUndefined();
  expect(pageOf('folder', (file) => mkdirSync(file))).toBeUndefined();
  expect(pageOf('large', (file) => writeFileSync(file, Buffer.alloc(256 * 1024 + 1)))).toBeUndefined();
  const linked = pageOf('moved', (_, inFolder) => {
    rmSync(inFolder, { recursive: true });
    symlinkSync(join(folder, 'has'), inFolder);
  });
  expect(process.platform === 'linux' ? linked : undefined).toBeUndefined();
  expect(ownPage(() => null)()).toBeUndefined();
});

it('it is read once for each release', () => {
  let snapshot = 'first';
  const page = ownPage(() => release(snapshot));
  pageOf('first', (file) => writeFileSync(file, 'one'));
  pageOf('second', (file) => writeFileSync(file, 'two'));
  expect(page()?.toString()).toBe('one');
  writeFileSync(join(folder, 'first', '503.html'), 'changed');
  expect(page()?.toString()).toBe('one');
  snapshot = 'second';
  expect(page()?.toString()).toBe('two');
});

it('a browser gets it, with the status; other programs get the reason', async () => {
  const page = ownPage(() => release('has'));
  pageOf('has', (file) => writeFileSync(file, '<p>Back soon'));
  const server = createServer((request, response) =>
    refuse(request, response, { status: 503, sentence: 'shop is stopped.', page }),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const get = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${portOf(server)}`, { headers: { accept } });
    return [answer.status, answer.headers.get('content-type'), await answer.text()];
  };
  expect(await get('text/html,*/*')).toEqual([503, 'text/html; charset=utf-8', '<p>Back soon']);
  expect(await get('*/*')).toEqual([503, 'application/json', '{"error":"shop is stopped."}\n']);
});
