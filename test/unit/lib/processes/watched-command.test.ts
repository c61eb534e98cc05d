import { describe, expect, it } from 'vitest';
import { spawnWatched } from '../../../../lib/processes/watched-command.ts';

const node = (script: string) => spawnWatched(process.execPath, ['-e', script]);

describe('A command under watch', () => {
  it('gives its exit code and what it wrote to stderr', async () => {
    const watched = node('console.error("no luck"); process.exitCode = 3');
    expect(await watched.ended).toBe(3);
    expect(watched.errors()).toBe('no luck');
  });

  it('that does not exist ends with the reason', async () => {
    const watched = spawnWatched('/nowhere/command', []);
    expect(await watched.ended).toBe(127);
    expect(watched.errors()).toContain('ENOENT');
  });

  it('ends within a second when stopped, even when it refuses to', async () => {
    const watched = node('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.error("up")');
    await expect.poll(watched.errors).toBe('up');
    const asked = performance.now();
    await watched.stop();
    expect(performance.now() - asked).toBeLessThan(1000);
  });
});
