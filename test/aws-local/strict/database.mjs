import { Agent, request } from 'node:http';

const API = 'DynamoDB_20120810';
/** Headers that belong to a connection, not to a request. */
const OF_THE_CONNECTION = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

/** The emulator wants to see a signature, and does not check it. */
const SIGNED = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260101T000000Z',
};

/** Returns a client of a database emulator, for requests as they arrived and for operations. */
export function databaseAt(port) {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const ask = (headers, body) =>
    new Promise((resolve, reject) => {
      const passed = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
      const options = { host: '127.0.0.1', port, method: 'POST', agent, headers: Object.fromEntries(passed) };
      const asked = request(options, (answer) => read(answer).then(resolve, reject));
      asked.once('error', reject);
      asked.end(body);
    });
  const send = async (operation, input) => {
    const body = Buffer.from(JSON.stringify(input));
    const headers = {
      ...SIGNED,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${API}.${operation}`,
      'content-length': body.length,
    };
    const answer = await ask(headers, body);
    if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  return { ask, send };
}

async function read(answer) {
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const headers = Object.entries(answer.headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  return { status: answer.statusCode, reason: answer.statusMessage, headers, body: Buffer.concat(chunks) };
}
