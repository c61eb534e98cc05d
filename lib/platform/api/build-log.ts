import { pipeline } from 'node:stream/promises';
import { storedLog } from '../build/build-log.ts';
import { type Call, isSet, type Reply, snapshotOf } from '../http/route.ts';
import type { AppName } from '../store/names.ts';
import type { ApiParts } from './parts.ts';

const MOST_BUFFERED_BYTES = 8_000_000;

/**
 * Sends a build's output as NDJSON `{ at, stream, line }`: all of it when the build has ended, else what there is; with
 * `?follow` new lines too until the build ends or the client disconnects. 404 for an unknown snapshot.
 */
export async function sendBuildLog(
  call: Call,
  app: AppName,
  { folders, snapshots, builder }: ApiParts,
): Promise<Reply> {
  const { response } = call;
  const id = snapshotOf(call);
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
