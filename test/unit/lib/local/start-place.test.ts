import { describe, expect, it } from 'vitest';
import { startPlace } from '../../../../lib/local/config/start-place.ts';

describe('Where npm start keeps its data and listens', () => {
  it.each([{}, { DATA_DIR: '', PORT: '' }])('is .local of the project and 8080 with %j', (env) => {
    expect(startPlace(env, '/project')).toEqual({ dataDir: '/project/.local', port: 8080 });
  });

  it('is what the environment says', () => {
    const env = { DATA_DIR: 'data', PORT: '0' };
    expect(startPlace(env, '/project')).toEqual({ dataDir: 'data', port: 0 });
    expect(startPlace({ PORT: '65535' }, '/project').port).toBe(65_535);
  });

  it.each(['http', '-1', '80.5', '65536', ' ', '0x50', '1e3', '8080 '])('is refused for the port %j', (PORT) => {
    expect(() => startPlace({ PORT }, '/project')).toThrow(`PORT is "${PORT}", which is not the number of a port.`);
  });
});
