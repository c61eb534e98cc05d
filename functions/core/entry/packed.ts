import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * What most entries contain, so that a packed one is a fifth of its JSON. Never change it: entries are kept for ever,
 * and can be read with the text only that they were packed with.
 */
const COMMON = Buffer.from(
  '"error":{"code":"deploy:platform:start_app","status":500,"detail":""},"reason":"","follows":,"place":,"fromBuild":' +
    'true,"operation":"rollback","ci":{"waits":true,"because":""},"path":"","private":true,"forced":true,"held","ok",' +
    '{"user":"","id":"000000000","number":,"uuid":"","base":"https://.execute-api.us-east-1.amazonaws.com/live",' +
    '"appName":null,"appName":"","status":"queued","status":"running","provider":"gitlab","provider":"github",' +
    '"repository":{"host":"github","owner":"","name":"","url":"https://github.com/","private":false},"sha":"",' +
    '"branch":"master","ref":"refs/heads/master","branch":"main","ref":"refs/heads/main","before":"","forced":false,' +
    '"message":"","author":"","delivery":"","receivedAt":1,"updatedAt":1,"finishedAt":null,"reason":null,"error":null,' +
    '"stages":[{"name":"check","status":"done","startedAt":1,"finishedAt":1,"attempts":1,"detail":null},' +
    '{"name":"fetch","status":"done","startedAt":1,"finishedAt":1,"attempts":1,"detail":" bytes"},{"name":"upload",' +
    '{"name":"extract",{"name":"start","status":"running","startedAt":1,"finishedAt":null,"attempts":1,"detail":' +
    '"answers at https://"}],"snapshot":"1.0.0-","url":null,"logTail":[],"stage":"start","tarball":{"key":"","bytes":,' +
    '"sha256":""},"manifest":{"name":"","version":"1.0.0","scripts":{"start":"node server.js"},"engines":{"node":">=' +
    '20"}},"fromBuild":false,"seq":}',
);

/** Returns the JSON of an entry packed, as it is stored where each kilobyte is paid for. */
export function packedJson(json: string): Uint8Array {
  return deflateRawSync(json, { dictionary: COMMON });
}

export function unpackedJson(packed: Uint8Array): string {
  return inflateRawSync(packed, { dictionary: COMMON }).toString('utf8');
}
