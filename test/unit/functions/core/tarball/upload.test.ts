import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { withUpload } from '../../../../../functions/core/tarball/upload.ts';
import { uploadOf } from '../../../../contracts/hosting-platform.ts';

const failed = { code: 'deploy:platform:upload_tarball', retry: true };

const strays: unknown[] = [];
const keep = (reason: unknown) => void strays.push(reason);
beforeEach(() => void process.on('unhandledRejection', keep));
afterEach(async () => {
  await sleep(20);
  process.off('unhandledRejection', keep);
  expect(strays.splice(0)).toEqual([]);
});

describe('an upload', () => {
  it('is sent as it is', async () => {
    const bytes = Buffer.from('x'.repeat(1000));
    expect(await withUpload(uploadOf(bytes), buffer)).toEqual(bytes);
  });

  it('destroys its source when it is refused unread, and has the reason', async () => {
    const body = Readable.from([Buffer.from('x')]);
    const refusal = new DeployError('deploy:platform:upload_tarball', 'It is too large.', { retry: false });
    const sent = withUpload(uploadOf(Buffer.from('x'), { body }), async () => {
      throw refusal;
    });
    await expect(sent).rejects.toBe(refusal);
    expect(body.destroyed).toBe(true);
  });

  it('fails with a retryable error when its source fails', async () => {
    async function* body() {
      yield Buffer.from('x');
      throw new Error('The object store hung up.');
    }
    await expect(withUpload(uploadOf(Buffer.from('xy'), { body: body() }), buffer)).rejects.toMatchObject({
      ...failed,
      detail: expect.stringContaining('could not be read to its end'),
    });
  });

  it('does not end the process when its source fails before the first read', async () => {
    const body = new Readable({ read() {} });
    body.destroy(new Error('The object store hung up.'));
    await expect(withUpload(uploadOf(Buffer.from('x'), { body }), buffer)).rejects.toMatchObject(failed);
  });

  it.each([
    ['shorter', 1, 'it has 4 bytes, not the 5 declared'],
    ['longer', -1, 'it is longer than the 3 bytes declared'],
  ])('fails when it is %s than declared', async (_word, more, says) => {
    const upload = uploadOf(Buffer.from('four'), { bytes: 4 + more });
    await expect(withUpload(upload, buffer)).rejects.toMatchObject({
      ...failed,
      detail: expect.stringContaining(says),
    });
  });
});
