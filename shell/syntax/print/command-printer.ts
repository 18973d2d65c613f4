import type {
  AssignmentNode,
  CaseNode,
  CommandNode,
  CompoundCommandNode,
  CoprocessNode,
  CStyleForNode,
  ForNode,
  FunctionDefNode,
  HereDocNode,
  IfNode,
  PipelineNode,
  RedirectionNode,
  ScriptNode,
  SimpleCommandNode,
  SourcedWordNode,
  StatementNode,
  WordNode,
} from '../ast.ts';
import { printConditional } from './print-conditional.ts';
import { printWord } from './print-word.ts';

const indentWidth = 4;

/** Prints commands in the form of bash's `print_cmd.c`, which `declare -f` and `type` show. */
export class CommandPrinter {
  #text = '';
  #indentation = 0;
  /** What follows stands on the line that has been begun. */
  #skipsIndent = false;
  #functionDepth = 0;
  /** Here-documents whose text follows the operator after their command. */
  #deferred: HereDocNode[] = [];
  #isAfterHereDocument = false;

  printScript({ statements }: ScriptNode): string {
    this.#statements(statements);
    this.#flushHereDocuments('');
    return this.#text;
  }

  /** A function, with its name and parentheses before the braces. */
  printFunction({ name, body, redirections }: FunctionDefNode): string {
    this.#add(`${name} () \n{ \n`);
    this.#functionBody(body, redirections);
    return this.#text;
  }

  #add(text: string): void {
    this.#text += text;
  }

  #newline(text: string): void {
    this.#add(`\n${' '.repeat(this.#indentation)}${text}`);
  }

  #semicolon(): void {
    if (!/[&\n]$/.test(this.#text)) this.#add(';');
  }

  #indented(print: () => void): void {
    this.#indentation += indentWidth;
    print();
    this.#flushHereDocuments('');
    this.#indentation -= indentWidth;
  }

  #word(word: WordNode): string {
    return printWord(word, (script) => new CommandPrinter().printScript(script));
  }

  #functionBody(body: CompoundCommandNode, redirections: readonly RedirectionNode[]): void {
    this.#functionDepth += 1;
    this.#indented(() => {
      if (body.type === 'Group') this.#statements(body.body);
      else this.#command(redirections.length > 0 ? { ...body, redirections: [...redirections] } : body);
    });
    this.#functionDepth -= 1;
    const isOfGroup = body.type === 'Group' && redirections.length > 0;
    this.#newline(isOfGroup ? '} ' : '}');
    if (isOfGroup) this.#redirections(redirections, false);
  }

  #statements(statements: readonly StatementNode[]): void {
    const isList = statements.length > 1;
    for (const [index, statement] of statements.entries()) {
      this.#statement(statement, isList);
      if (index === statements.length - 1) break;
      if (statement.background) {
        this.#add(' ');
        this.#skipsIndent = true;
      } else this.#separate();
    }
  }

  /** `;` and the end of the line, or a space outside functions. */
  #separate(): void {
    if (this.#deferred.length > 0) this.#flushHereDocuments(this.#functionDepth > 0 ? '' : ';');
    else if (!this.#isAfterHereDocument) this.#add(';');
    this.#isAfterHereDocument = false;
    if (this.#functionDepth > 0) this.#add('\n');
    else {
      this.#add(' ');
      this.#skipsIndent = true;
    }
  }

  #statement({ pipelines, operators, background }: StatementNode, isList: boolean): void {
    const isConnection = isList || pipelines.length > 1 || background;
    for (const [index, pipeline] of pipelines.entries()) {
      if (index > 0) {
        this.#flushHereDocuments(` ${operators[index - 1] ?? '&&'} `);
        this.#skipsIndent = true;
      }
      this.#pipeline(pipeline, isConnection);
    }
    if (background) this.#flushHereDocuments(' &');
  }

  #pipeline(
    { commands, negated, timed, timePosix, pipeStderr }: PipelineNode,
    isInConnection: boolean,
  ): void {
    this.#indent();
    if (timed) this.#add(timePosix ? 'time -p ' : 'time ');
    if (negated) this.#add('! ');
    for (const [index, command] of commands.entries()) {
      if (index > 0) {
        if (pipeStderr?.[index - 1]) this.#add(' 2>&1');
        this.#flushHereDocuments(' |');
        this.#add(' ');
      }
      this.#skipsIndent = true;
      this.#command(command, isInConnection || commands.length > 1);
    }
    this.#skipsIndent = false;
  }

  #indent(): void {
    if (!this.#skipsIndent) this.#add(' '.repeat(this.#indentation));
    this.#skipsIndent = false;
  }

  #command(command: CommandNode, defersHereDocuments = false): void {
    this.#indent();
    if ('coprocess' in command) {
      this.#coprocess(command as CoprocessNode);
      return;
    }
    if (command.type === 'SimpleCommand') {
      this.#simple(command, defersHereDocuments);
      return;
    }
    if (command.type === 'FunctionDef') {
      this.#add(`function ${command.name} () \n${' '.repeat(this.#indentation)}{ \n`);
      this.#functionBody(command.body, command.redirections);
      return;
    }
    this.#compound(command);
    if (command.redirections.length === 0) return;
    this.#add(' ');
    this.#redirections(command.redirections, defersHereDocuments);
  }

  #simple({ assignments, name, args, redirections }: SimpleCommandNode, defersHereDocuments: boolean): void {
    const words = [...assignments.map((assignment) => this.#assignment(assignment))];
    if (name) for (const word of [name, ...args]) words.push(this.#word(word));
    this.#add(words.join(' '));
    if (redirections.length === 0) return;
    if (words.length > 0) this.#add(' ');
    this.#redirections(redirections, defersHereDocuments);
  }

  #coprocess({ coprocess: { name, body } }: CoprocessNode): void {
    this.#add(`coproc ${name ?? 'COPROC'} `);
    this.#skipsIndent = true;
    this.#command(body);
  }

  #assignment({ name, append, value, array }: AssignmentNode): string {
    const start = `${name}${append ? '+=' : '='}`;
    if (array) return `${start}(${array.map((word) => this.#word(word)).join(' ')})`;
    return start + (value ? this.#word(value) : '');
  }

  #compound(command: CompoundCommandNode): void {
    switch (command.type) {
      case 'Group':
        this.#group(command.body);
        break;
      case 'Subshell':
        this.#add('( ');
        this.#skipsIndent = true;
        this.#statements(command.body);
        this.#flushHereDocuments('');
        this.#add(' )');
        break;
      case 'If':
        this.#if(command.clauses, command.elseBody);
        break;
      case 'While':
      case 'Until':
        this.#add(command.type === 'While' ? 'while ' : 'until ');
        this.#condition(command.condition);
        this.#add(' do\n');
        this.#indented(() => this.#statements(command.body));
        this.#semicolon();
        this.#newline('done');
        break;
      case 'For':
        this.#for(command);
        break;
      case 'CStyleFor':
        this.#cStyleFor(command);
        break;
      case 'Case':
        this.#case(command);
        break;
      case 'ArithmeticCommand':
        this.#add(`((${command.expression.originalText ?? ''}))`);
        break;
      case 'ConditionalCommand':
        this.#add(`[[ ${printConditional(command.expression, (word) => this.#word(word))} ]]`);
        break;
    }
  }

  #group(body: readonly StatementNode[]): void {
    this.#add('{ ');
    if (this.#functionDepth > 0) {
      this.#add('\n');
      this.#indented(() => this.#statements(body));
      this.#newline('}');
      return;
    }
    this.#skipsIndent = true;
    this.#statements(body);
    this.#flushHereDocuments('');
    this.#semicolon();
    this.#add(' }');
  }

  #condition(statements: readonly StatementNode[]): void {
    this.#skipsIndent = true;
    this.#statements(statements);
    this.#flushHereDocuments('');
    this.#semicolon();
  }

  /** `elif` is printed as an `if` within `else`. */
  #if([clause, ...others]: IfNode['clauses'], elseBody: StatementNode[] | null): void {
    if (!clause) return;
    this.#add('if ');
    this.#condition(clause.condition);
    this.#add(' then\n');
    this.#indented(() => this.#statements(clause.body));
    if (others.length > 0 || elseBody) {
      this.#semicolon();
      this.#newline('else\n');
      this.#indented(() => {
        if (others.length === 0) this.#statements(elseBody ?? []);
        else {
          this.#indent();
          this.#if(others, elseBody);
        }
      });
    }
    this.#semicolon();
    this.#newline('fi');
  }

  #loopBody(body: readonly StatementNode[]): void {
    this.#newline('do\n');
    this.#indented(() => this.#statements(body));
    this.#semicolon();
    this.#newline('done');
  }

  #for(command: ForNode): void {
    const words = command.words?.map((word) => this.#word(word)) ?? ['"$@"'];
    this.#add(`${'isSelect' in command ? 'select' : 'for'} ${command.variable} in ${words.join(' ')};`);
    this.#loopBody(command.body);
  }

  #cStyleFor({ init, condition, update, body }: CStyleForNode): void {
    const parts = [init, condition, update].map((part) => part?.originalText?.trim() ?? '');
    this.#add(`for ((${parts.join('; ')}))`);
    this.#loopBody(body);
  }

  #case({ word, items }: CaseNode): void {
    this.#add(`case ${this.#word(word)} in `);
    this.#indentation += indentWidth;
    for (const { patterns, body, terminator } of items) {
      this.#newline(patterns.map((pattern) => this.#word(pattern)).join(' | '));
      this.#add(')\n');
      this.#indented(() => this.#statements(body));
      this.#newline(terminator);
    }
    this.#indentation -= indentWidth;
    this.#newline('esac');
  }

  #redirections(redirections: readonly RedirectionNode[], defersHereDocuments: boolean): void {
    this.#isAfterHereDocument = false;
    this.#add(redirections.map((redirection) => this.#redirection(redirection)).join(' '));
    for (const { target } of redirections) if (target.type === 'HereDoc') this.#deferred.push(target);
    if (!defersHereDocuments) this.#flushHereDocuments('');
  }

  #redirection({ fd, fdVariable, operator, target }: RedirectionNode): string {
    const prefix = fdVariable === undefined ? String(fd ?? '') : `{${fdVariable}}`;
    if (target.type === 'HereDoc') {
      return `${prefix}${operator}${target.quoted ? `'${target.delimiter}'` : target.delimiter}`;
    }
    const word = this.#word(target);
    if (operator === '>&' && prefix === '' && !/^(\d+-?|-|\$.*)$/.test(word)) return `&> ${word}`;
    if (operator !== '>&' && operator !== '<&') return `${prefix}${operator} ${word}`;
    // A descriptor that is closed is shown as one of output.
    if (word === '-') return `${prefix || (operator === '<&' ? '0' : '1')}>&-`;
    return `${prefix || (operator === '<&' ? '0' : '1')}${operator}${word}`;
  }

  /** Prints what follows a command, then the here-documents that it has. */
  #flushHereDocuments(after: string): void {
    if (after !== ';') this.#add(after);
    if (this.#deferred.length === 0) return;
    this.#add('\n');
    for (const { content, delimiter } of this.#deferred.splice(0)) {
      const text = 'source' in content ? (content as SourcedWordNode).source : this.#word(content);
      this.#add(`${text}${delimiter}\n`);
    }
    if (after !== '' && after !== ';') this.#add(' ');
    this.#isAfterHereDocument = true;
  }
}
