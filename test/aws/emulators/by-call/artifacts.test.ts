import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { openCodeStore, unzip } from '../../../aws-local/lambda/code.ts';
import { zipOf } from '../../../support/aws-local/zip-of.ts';
import { newFolder } from '../../../support/new-folder.ts';

const run = promisify(execFile);
let folder: string;
beforeEach(() => {
  folder = newFolder('artifacts');
});

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

  it('what not every user can read is refused, as a function that could not start', async () => {
    const restricted = async (name: string, mode: number) => {
      const zip = new ZipFile();
      zip.addBuffer(Buffer.from('x'), name, { mode });
      zip.end();
      return buffer(zip.outputStream);
    };
    await expect(unpack(await restricted('index.js', 0o100600))).rejects.toThrow(
      "EACCES: permission denied, open '/var/task/index.js'",
    );
    await expect(unpack(await restricted('run.sh', 0o100750))).rejects.toThrow('EACCES');
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
