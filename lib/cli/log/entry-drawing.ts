import { type Entry, hasEnded, numberOf } from '../../client/entry.ts';
import { BuildProgress, shownBuild } from '../../terminal/build-progress.ts';
import { Drawing, type DrawingOptions, type Screen } from '../../terminal/draw.ts';
import type { Api } from '../service/api.ts';

/** Draws deploys with the output of those builds that take long. */
export class EntryDrawing {
  readonly #api: Api;
  readonly #drawing: Drawing;
  readonly #builds = new Map<string, BuildProgress>();

  constructor(client: Api, screen: Screen, options: DrawingOptions) {
    this.#api = client;
    this.#drawing = new Drawing(screen, options);
  }

  /** Draws an entry as it is now. Resolves when the output of its build is printed, if that has ended. */
  async entry(entry: Entry): Promise<void> {
    const { doc } = entry;
    if (!doc) return;
    const build = this.#builds.get(entry.id) ?? this.#build(entry);
    this.#drawing.entry(await build.seen({ ...entry, doc }));
    if (!hasEnded(entry)) return;
    build.close();
    this.#builds.delete(entry.id);
  }

  close(): void {
    for (const build of this.#builds.values()) build.close();
  }

  #build(entry: Entry): BuildProgress {
    const print = (line: string) => this.#drawing.line(`#${numberOf(entry)} ${line}`);
    const build = new BuildProgress(shownBuild(this.#api.client, entry, print));
    this.#builds.set(entry.id, build);
    return build;
  }
}
