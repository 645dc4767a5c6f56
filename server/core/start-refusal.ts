/** Why the server does not start: one plain sentence for the person who started it, and no stack. */
export class StartRefusal extends Error {
  /** 2 when a setting is wrong and trying again is useless; 1 otherwise. */
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.name = 'StartRefusal';
    this.exitCode = exitCode;
  }
}
