import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../../lib/http/ports.ts';
import { provideTools } from '../../../aws-local/codebuild/tools.ts';
import { openCodeStore } from '../../../aws-local/lambda/code.ts';
import { unzip } from '../../../aws-local/lambda/unzip.ts';
import { zipOf } from '../../../support/aws-local/zip-of.ts';

const run = promisify(execFile);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'artifacts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('Unpacking the artifact of a function', () => {
  const unpack = async (archive: Buffer) => {
    writeFileSync(join(folder, 'a.zip'), archive);
    await unzip(join(folder, 'a.zip'), join(folder, 'out'));
  };

  it('modes and links are kept', async () => {
    await unpack(await zipOf({ 'run.sh': 'run', 'app/a.js': 'a', 'app/link': 'link:a.js' }));
    expect(lstatSync(join(folder, 'out/run.sh')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(folder, 'out/app/link'))).toBe('a.js');
    expect(readFileSync(join(folder, 'out/app/link'), 'utf8')).toBe('a');
  });

  it('a file below a link is refused, and nothing is written where the link leads', async () => {
    mkdirSync(join(folder, 'outside'));
    const archive = await zipOf({ out: `link:${join(folder, 'outside')}`, 'out/file': 'escaped' });
    await expect(unpack(archive)).rejects.toThrow('EEXIST');
    expect(() => lstatSync(join(folder, 'outside/file'))).toThrow('ENOENT');
  });

  it('more than 250 MB are refused before they are unpacked', async () => {
    const archive = await zipOf({ large: 'x' });
    // The uncompressed size in the central directory: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
    archive.writeUInt32LE(262_144_001, archive.indexOf('PK\u0001\u0002') + 24);
    await expect(unpack(archive)).rejects.toThrow('Unzipped size must be smaller than 262144000 bytes');
  });

  it('what is not a zip file is refused in the words of Lambda', async () => {
    await expect(unpack(Buffer.from('no zip'))).rejects.toThrow('Could not unzip uploaded file.');
  });
});

describe('The code of a function that is kept', () => {
  it('is read as on AWS, whatever a package.json above the folder says', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const store = openCodeStore(join(folder, 'code'), new S3Client({ region: 'eu-west-1' }));
    const { sha256 } = await store.add({ ZipFile: await zipOf({ 'server.js': 'console.log(typeof require)' }) });
    const { stdout } = await run(process.execPath, [join(store.folderOf(sha256), 'server.js')]);
    expect(stdout).toBe('function\n');
  });
});

describe('Programs that a machine does not have', () => {
  it('zip writes folders, modes and links', async () => {
    const tools = provideTools(join(folder, 'tools'), '');
    mkdirSync(join(folder, 'app/empty'), { recursive: true });
    writeFileSync(join(folder, 'app/a.js'), 'a');
    writeFileSync(join(folder, 'run.sh'), 'run', { mode: 0o755 });
    symlinkSync('a.js', join(folder, 'app/link'));
    await run(join(tools, 'zip'), ['-qry', 'release.zip', 'run.sh', 'app'], { cwd: folder });
    await unzip(join(folder, 'release.zip'), join(folder, 'out'));
    expect(lstatSync(join(folder, 'out/run.sh')).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(folder, 'out/app/empty')).isDirectory()).toBe(true);
    expect(readlinkSync(join(folder, 'out/app/link'))).toBe('a.js');
    await expect(run(join(tools, 'zip'), ['-m', 'a.zip', 'app'], { cwd: folder })).rejects.toMatchObject({ code: 16 });
  });

  it('curl uploads and downloads, and fails on an error of the server', async () => {
    const tools = provideTools(join(folder, 'tools'), '');
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const length = request.headers['content-length'] ?? '';
      request
        .on('data', (chunk) => seen.push(`${request.method} ${length} ${chunk}`))
        .on('end', () => {
          response.writeHead(request.url === '/none' ? 404 : 200).end('answer');
        });
    });
    const url = `http://127.0.0.1:${await listen(server, 0)}`;
    try {
      const curl = (...words: string[]) =>
        run(join(tools, 'curl'), ['-fsS', '--retry', '3', ...words], { cwd: folder });
      await curl('-o', 'got', `${url}/file`);
      expect(readFileSync(join(folder, 'got'), 'utf8')).toBe('answer');
      await curl('-T', 'got', `${url}/file`);
      expect(seen).toEqual(['PUT 6 answer']);
      const failed = curl('-o', 'other', `${url}/none`);
      await expect(failed).rejects.toMatchObject({ code: 22, stderr: expect.stringContaining('error: 404') });
    } finally {
      server.close();
    }
  });

  it('a program that the machine has is not replaced', () => {
    writeFileSync(join(folder, 'curl'), '', { mode: 0o755 });
    const tools = provideTools(join(folder, 'tools'), folder);
    expect(() => lstatSync(join(tools, 'curl'))).toThrow('ENOENT');
    expect(lstatSync(join(tools, 'zip')).mode & 0o111).toBe(0o111);
  });
});
