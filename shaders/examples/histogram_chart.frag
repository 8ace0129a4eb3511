// A bar for each step of brightness, the highest as high as the chart.
#include "../common/sets.glsl"

PASS readonly buffer Counts { uint counts[64]; };

in vec2 uv;
out vec4 out_scene;

void main() {
    uint highest = 1;
    for (int i = 0; i < 64; i++) {
        highest = max(highest, counts[i]);
    }
    float bar = float(counts[min(int(uv.x * 64.0), 63)]) / float(highest);
    out_scene = 1.0 - uv.y < bar ? vec4(1.0, 0.85, 0.3, 1.0) : vec4(0.0, 0.0, 0.0, 0.5);
}
