/**
 * What the guest does by itself while it is rewound: bash, on and on, each step printing one line that
 * only its number decides. CPU, pipes, files, timers, python, a compiler, named pipes and much memory.
 */
export const workerScript = `
cd /tmp/soak
step() {
  case $(($1 % 8)) in
    0) local i s=$1; for ((i = 0; i < 2000; i++)); do s=$(((s * 31 + i) % 1000003)); done; echo $s ;;
    1) seq $1 $(($1 + 3000)) | sed 's/7/seven/g' | sort -r | md5sum ;;
    2) mkdir d && for i in 1 2 3 4 5 6 7 8; do echo "$1 $i" > d/$i; done; mv d/1 d/9; cat d/* | md5sum; rm -r d ;;
    3) for i in 3 1 2; do (sleep 0.0$i; echo $i $1 > t$i) & done; wait; cat t1 t2 t3 | md5sum; rm t? ;;
    4) python3 -c "print(sum(pow(i, $1, 9973) for i in range(3000)))" ;;
    5) printf 'int main(void) { int s = 0; for (int i = 0; i < %s000; i++) s = s * 3 + i; return s & 127; }' $1 > p.c
       tcc -o p p.c && ./p; echo $?; rm p p.c ;;
    6) yes "line $1" | head -c 1500000 > big; cksum < big; rm big ;;
    7) mkfifo f; (seq $1 $(($1 + 500)) > f) & tac f | md5sum; wait; rm f ;;
  esac
}
for ((n = 1; n <= $1; n++)); do echo "$n $(step $n 2>&1)" >> log; done
`;
