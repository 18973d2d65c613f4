import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeDnsAnswer, dnsCodes, parseDnsQuestion } from './dns-message.ts';

const header = '1234 0100 0001 0000 0000 0000';
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** A question for `example.test`, type A, class IN. */
const plain = hex(`${header} 07 6578616d706c65 04 74657374 00 0001 0001`);

describe('S-8 a question for a name', () => {
  test('is read, whatever follows it', () => {
    const question = { name: 'example.test', isForIpv4: true, bytes: plain };
    expect(parseDnsQuestion(plain)).toEqual(question);
    // EDNS: one additional record.
    const extended = Buffer.concat([plain, hex('00 0029 04d0 00000000 0000')]);
    extended.writeUInt16BE(1, 10);
    expect(parseDnsQuestion(extended)).toMatchObject({ name: 'example.test', isForIpv4: true });
  });

  test('is for another type', () => {
    const question = Buffer.from(plain);
    question.writeUInt16BE(28, question.length - 4);
    expect(parseDnsQuestion(question)?.isForIpv4).toBe(false);
  });

  test.each([
    ['an answer', '1234 8100 0001 0000 0000 0000 01 61 00 0001 0001'],
    ['another operation', '1234 2900 0001 0000 0000 0000 01 61 00 0001 0001'],
    ['two questions', '1234 0100 0002 0000 0000 0000 01 61 00 0001 0001'],
    ['another class', `${header} 01 61 00 0001 0003`],
    ['the root', `${header} 00 0001 0001`],
    ['a pointer', `${header} c00c 0001 0001`],
    ['a label that ends too late', `${header} 3f 61 00 0001 0001`],
    ['no end', `${header} 01 61`],
    ['no type', `${header} 01 61 00 00`],
    ['a line break in its name', `${header} 03 610a62 00 0001 0001`],
    ['a byte that is no letter', `${header} 02 c3a9 00 0001 0001`],
    ['a dot within a label', `${header} 03 612e62 00 0001 0001`],
    ['a name of 255 characters', `${header} ${`3f ${'61'.repeat(63)}`.repeat(4)} 00 0001 0001`],
    ['nothing', ''],
  ])('is none with %s', (_, text) => expect(parseDnsQuestion(hex(text))).toBeUndefined());

  test('is never read past its end, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const question = parseDnsQuestion(Buffer.from(bytes));
        if (question) expect(question.name).toMatch(/^[a-z0-9_.-]{1,253}$/);
      }),
    );
  });
});

describe('S-8 an answer', () => {
  const question = parseDnsQuestion(plain);
  if (!question) throw new Error('There is no question');

  test('has the question, and a record for each address', () => {
    const records = [{ address: '140.82.121.4', ttlSeconds: 60 }];
    expect(composeDnsAnswer(question, { code: dnsCodes.ok, records })).toEqual(
      hex(
        '1234 8180 0001 0001 0000 0000 07 6578616d706c65 04 74657374 00 0001 0001' +
          'c00c 0001 0001 0000003c 0004 8c527904',
      ),
    );
    expect(composeDnsAnswer(question, { code: dnsCodes.noSuchName }).subarray(0, 8)).toEqual(
      hex('1234 8183 0001 0000'),
    );
  });

  test('has no more records than its 512 bytes have room for, and counts those', () => {
    const records = Array.from({ length: 100 }, () => ({ address: '140.82.121.4', ttlSeconds: 60 }));
    const answer = composeDnsAnswer(question, { code: dnsCodes.ok, records });
    expect([answer.length <= 512, answer.readUInt16BE(6)]).toEqual([true, 30]);
  });
});
