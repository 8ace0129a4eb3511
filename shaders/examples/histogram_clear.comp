// Every frame counts anew.
#include "../common/sets.glsl"

layout(local_size_x = 64) in;

PASS buffer Counts { uint counts[64]; };

void main() {
    counts[gl_LocalInvocationIndex] = 0;
}
