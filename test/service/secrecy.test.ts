import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { rowsOf } from '../support/service/log-file.ts';
import { secretsStayHidden } from '../support/service/secrecy.ts';
import { startEngineForTest } from '../support/service/started.ts';

describe('secrets', () =>
  secretsStayHidden({
    start: (config) => startEngineForTest('secrecy', {}, config),
    stored: async ({ dataDir }) =>
      rowsOf(join(dataDir, 'service.db')).map((row) => JSON.stringify({ ...row, variables: '' }, bytesAsText)),
  }));

/** Payloads are stored gzipped; what else is binary is looked at byte by byte. */
function bytesAsText(_: string, value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return (value[0] === 0x1f && value[1] === 0x8b ? gunzipSync(value) : Buffer.from(value)).toString('latin1');
}
