import { pipeline } from 'node:stream/promises';
import { storedLog } from '../build/build-log.ts';
import type { Builder } from '../build/builder.ts';
import { appOf, type Call, isSet, type Reply, snapshotOf } from '../http/route.ts';
import type { Folders } from '../store/folders.ts';
import type { Snapshots } from '../store/snapshots.ts';

/** Dependencies of the route of build logs. */
export interface BuildLogParts {
  readonly folders: Folders;
  readonly snapshots: Snapshots;
  readonly builder: Builder;
}

const MOST_BUFFERED_BYTES = 8_000_000;

/**
 * Sends a build's output as NDJSON `{ at, stream, line }`: all of it when the build has ended, else what there is; with
 * `?follow` new lines too until the build ends or the client disconnects. 404 for an unknown snapshot.
 */
export async function sendBuildLog(call: Call, { folders, snapshots, builder }: BuildLogParts): Promise<Reply> {
  const { response } = call;
  const [app, id] = [appOf(call), snapshotOf(call)];
  // A build that an earlier process has begun is resumed first.
  if ((await snapshots.get(app, id)).state === 'building') await builder.status(app, id, 0);
  const running = await builder.log(app, id);
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  if (!running) {
    // A client that disconnects is no error.
    await pipeline(storedLog(folders.ofApp(app).snapshot(id).log), response).catch(() => undefined);
    return 'streamed';
  }
  const unfollow = running.follow(
    (line) => {
      // The platform must not buffer the log for a client that does not read.
      if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy();
      else response.write(`${line}\n`);
    },
    () => response.end(),
  );
  response.once('close', unfollow);
  if (!isSet(call, 'follow')) {
    unfollow();
    response.end();
  }
  // The headers are sent now even without lines.
  response.flushHeaders();
  return 'streamed';
}
