import type { LogReader } from '../../core/ports/log-reader.ts';
import { dynamoDbReader } from '../stores/dynamodb/reader.ts';
import { connectTable } from './table.ts';

/** The log, to read. */
export function connectReader(): LogReader {
  return dynamoDbReader(connectTable());
}
