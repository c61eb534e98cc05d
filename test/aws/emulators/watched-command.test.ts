import { describe, expect, it } from 'vitest';
import { spawnWatched } from '../../aws-local/emulators/watched-command.ts';

const node = (script: string) => spawnWatched(process.execPath, ['-e', script]);

describe('A watched command', () => {
  it('A watched command returns its exit code and its standard error', async () => {
    const watched = node('console.error("no luck"); process.exitCode = 3');
    expect(await watched.ended).toBe(3);
    expect(watched.errors()).toBe('no luck');
  });

  it('A watched command that does not exist ends with the reason', async () => {
    const watched = spawnWatched('/nowhere/command', []);
    expect(await watched.ended).toBe(127);
    expect(watched.errors()).toContain('ENOENT');
  });

  it('A watched command ends when it is stopped, even if it ignores SIGTERM', async () => {
    const watched = node('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.error("up")');
    await expect.poll(watched.errors).toBe('up');
    await watched.stop();
    expect(await watched.ended).not.toBe(0);
  });
});
