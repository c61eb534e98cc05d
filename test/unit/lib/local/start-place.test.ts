import { describe, expect, it } from 'vitest';
import { dataFolder, startPlace } from '../../../../lib/local/config/start-place.ts';

describe('Where npm start keeps its data and listens', () => {
  it.each([{}, { DATA_DIR: '', PORT: '' }])('is .local of the project and 8080 with %j', (env) => {
    expect(startPlace(env, '/project')).toEqual({ dataDir: '/project/.local', port: 8080 });
  });

  it('is what the environment says', () => {
    const env = { DATA_DIR: 'data', PORT: '0' };
    expect(startPlace(env, '/project')).toEqual({ dataDir: 'data', port: 0 });
    expect(startPlace({ PORT: '65535' }, '/project').port).toBe(65_535);
  });

  it('is the user’s own folder for a package, which npm may replace', () => {
    const project = '/home/ann/.npm/_npx/1/node_modules/deployment-webhooks/';
    const own = '/home/ann/.local/share/deployment-webhooks';
    expect(dataFolder({ HOME: '/home/ann' }, project)).toBe(own);
    expect(dataFolder({ XDG_DATA_HOME: '/data' }, project)).toBe('/data/deployment-webhooks');
    expect(dataFolder({ HOME: '/home/ann', DATA_DIR: 'here' }, project)).toBe('here');
  });

  it.each(['http', '-1', '80.5', '65536', ' ', '0x50', '1e3', '8080 '])('is refused for the port %j', (PORT) => {
    expect(() => startPlace({ PORT }, '/project')).toThrow(`PORT is "${PORT}", which is not the number of a port.`);
  });
});
