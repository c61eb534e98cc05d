import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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
});

describe('The code of a function that is kept', () => {
  it('is read as on AWS, whatever a package.json above the folder says', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const store = openCodeStore(join(folder, 'code'), new S3Client({ region: 'eu-west-1' }));
    const hash = await store.add({ ZipFile: await zipOf({ 'server.js': 'console.log(typeof require)' }) });
    const { stdout } = await run(process.execPath, [join(store.folderOf(hash), 'server.js')]);
    expect(stdout).toBe('function\n');
  });
});
