import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { listen } from '../../../../lib/http/ports.ts';
import { checkPort } from '../../../../lib/local/port-check.ts';

const failing = (code: string) => async () => {
  throw Object.assign(new Error(`listen ${code}`), { code });
};

describe('Checking the port of the API', () => {
  it('a free port and any port are accepted', async () => {
    await checkPort({ port: 0 });
    const server = createServer();
    const port = await listen(server, 0);
    await new Promise((done) => server.close(done));
    await checkPort({ port });
  });

  it('a port of another program is refused as taken', async () => {
    const server = createServer();
    const port = await listen(server, 0);
    await expect(checkPort({ port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken by another program`);
    await new Promise((done) => server.close(done));
  });

  it('a port that needs rights is refused for that reason, and not as taken', async () => {
    const failure = await checkPort({ port: 81 }, failing('EACCES')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(String(failure)).toContain('Port 81 needs rights that this user does not have (EACCES)');
    expect(String(failure)).not.toContain('taken');
    for (const remedy of ['set PORT', 'Caddy', 'AmbientCapabilities=CAP_NET_BIND_SERVICE', 'setcap']) {
      expect(String(failure)).toContain(remedy);
    }
  });

  it('an address of another machine is refused by name', async () => {
    await expect(checkPort({ port: 0, host: '192.0.2.1' })).rejects.toThrow(
      'LISTEN is 192.0.2.1, which is not an address of this machine',
    );
  });

  it('another failure keeps its own error', async () => {
    await expect(checkPort({ port: 81 }, failing('EMFILE'))).rejects.toThrow('listen EMFILE');
  });
});
